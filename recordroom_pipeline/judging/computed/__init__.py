"""Computed checks: what arithmetic settles without a judge."""

from recordroom_pipeline.judging.computed.registry import CHECKS, COMPUTED_VERSION, check_problems, decide

__all__ = ["CHECKS", "COMPUTED_VERSION", "check_problems", "decide"]
