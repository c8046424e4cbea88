"""When it runs: the only importer of dagster."""
