"""The worker processes that open hostile files under limits."""

from recordroom_pipeline.readers.pool import MaterialJob, parse_materials

__all__ = ["MaterialJob", "parse_materials"]
