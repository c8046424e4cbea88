"""Task, Output, Turn, Snapshot: the real material and the agents' full trajectories."""
