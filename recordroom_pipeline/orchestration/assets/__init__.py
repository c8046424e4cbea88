"""The assets of one spec, one module a stage; bodies read files, call a function and say what came of it."""
