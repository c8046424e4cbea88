"""Conversations that other programs logged → tasks and outputs of a corpus ("Corpus").

`read_trajectories` sniffs the kind of file, joins each tool call to its result and leaves labels behind; `write_corpus` writes
the seed's files and never changes one that stands. One module reads one kind; what they share is in `messages` and `joining`.
"""

from recordroom_pipeline.formats.trajectories.model import Conversation, Report, Trajectories
from recordroom_pipeline.formats.trajectories.reading import KINDS, read_trajectories
from recordroom_pipeline.formats.trajectories.writing import write_corpus

__all__ = ["KINDS", "Conversation", "Report", "Trajectories", "read_trajectories", "write_corpus"]
