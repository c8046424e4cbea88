"""Batches of agree and disagree → precision, flips marked, what to look at next."""
