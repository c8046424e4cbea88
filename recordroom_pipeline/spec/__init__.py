"""SPEC.md ⇄ Spec → spec.json; what changed between two versions."""
