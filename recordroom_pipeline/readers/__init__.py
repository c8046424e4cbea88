"""The worker processes that open hostile files under limits."""
