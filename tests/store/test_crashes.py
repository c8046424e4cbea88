"""A crash at any moment leaves finished work usable and unfinished work absent; two writers never write one thing twice."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from recordroom_pipeline.errors import AlreadyWritten
from recordroom_pipeline.store.atomic import beside, create, create_same
from recordroom_pipeline.store.judged import JudgedStore

WRITERS = {
    "replaced": """
        from recordroom_pipeline.store.atomic import write_bytes
        for number in range(100_000):
            write_bytes(folder / "one", bytes([number % 251]) * 200_000)
    """,
    "created": """
        from recordroom_pipeline.store.atomic import create
        for number in range(100_000):
            create(folder / str(number), bytes([number % 251]) * 50_000)
    """,
    "judged": """
        from recordroom_pipeline.judging.decision import Decision
        from recordroom_pipeline.judging.verdict import na
        from recordroom_pipeline.store.judged import JudgedStore
        store = JudgedStore(folder)
        for number in range(100_000):
            store.put([Decision(key=f"{number}-{part}", finding=na("not_judgeable", "w"), origin="none") for part in range(20)])
    """,
}


def whole(kind: str, folder: Path) -> int:
    """How many finished pieces there are; fails where one is half."""
    files = [path for path in folder.iterdir() if not path.name.startswith(".")]
    for path in files:
        if kind == "judged":
            assert pq.ParquetFile(path).read().num_rows == 20
        else:
            data = path.read_bytes()
            assert len(data) == (200_000 if kind == "replaced" else 50_000)
            assert len(set(data)) == 1
    return len(files)


@pytest.mark.parametrize("kind", list(WRITERS))
def test_a_writer_killed_at_any_moment_leaves_whole_files_alone(kind: str, tmp_path: Path) -> None:
    chance = random.Random(kind)
    code = f"import sys; from pathlib import Path; folder = Path(sys.argv[1])\n{textwrap.dedent(WRITERS[kind])}"
    found = 0
    for attempt in range(5):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        process = subprocess.Popen([sys.executable, "-c", code, str(folder)])
        # Wait for the first piece, so that the kill falls into the work whatever the machine's speed.
        while not any(not path.name.startswith(".") for path in folder.iterdir()):
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(chance.random() / 5)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        found += whole(kind, folder)

    assert found >= 5


def _claim(path: str, mine: bytes, barrier, wins) -> None:
    barrier.wait()
    wins.put(create(Path(path), mine))


def test_of_two_that_create_one_file_exactly_one_does(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    for attempt in range(3):
        barrier, wins = context.Barrier(2), context.Queue()
        path = tmp_path / f"claim-{attempt}"
        workers = [context.Process(target=_claim, args=(str(path), name, barrier, wins)) for name in (b"a", b"b")]
        for worker in workers:
            worker.start()
        outcome = sorted(wins.get() for _ in workers)
        for worker in workers:
            worker.join()

        assert outcome == [False, True]
        assert path.read_bytes() in (b"a", b"b")


def test_what_is_written_once_may_be_written_the_same_again_but_never_otherwise(tmp_path: Path) -> None:
    create_same(tmp_path / "v.json", b"one")
    create_same(tmp_path / "v.json", b"one")

    with pytest.raises(AlreadyWritten, match="restore it from git"):
        create_same(tmp_path / "v.json", b"two")
    assert (tmp_path / "v.json").read_bytes() == b"one"


def test_a_write_that_fails_keeps_what_stood_there_and_leaves_no_litter(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"old")

    def fail() -> None:
        with beside(tmp_path / "t") as temporary:
            temporary.write_bytes(b"half")
            raise ValueError("the work failed")

    with pytest.raises(ValueError, match="the work failed"):
        fail()
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("t", b"old")]


def test_the_oldest_decision_of_a_key_is_the_one_that_counts(tmp_path: Path) -> None:
    from recordroom_pipeline.judging.decision import Decision
    from recordroom_pipeline.judging.verdict import na

    store = JudgedStore(tmp_path)
    for why in ("first", "second"):
        store.put([Decision(key="k", finding=na("not_judgeable", why), origin="none")])

    assert store.get(["k", "absent"])["k"].finding.why == "first"
