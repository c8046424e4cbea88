"""What is on disk: files, Parquet tables, DuckDB."""
