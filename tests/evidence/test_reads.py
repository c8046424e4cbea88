"""`reads` names sources by exact name, by alias, or by a unique leading part."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Iterator

import pytest

from recordroom_pipeline.evidence.model import Source
from recordroom_pipeline.evidence.reads import Ambiguous, resolve_read, select_evidence

NAMES = ["cover-sheet", "inspection-report", "loss_runs.2024", "instruction", "turns", "output"]


def source(name: str) -> Source:
    return Source(name=name, kind="material", content_sha256="0", segments=())


@pytest.mark.parametrize(
    ("read", "name"),
    [
        ("cover sheet", "cover-sheet"),
        ("Cover_Sheet", "cover-sheet"),
        ("inspection", "inspection-report"),
        ("loss runs", "loss_runs.2024"),
        ("final answer", "output"),
        ("deliverable", "output"),
        ("tool calls", "turns"),
        ("conversation", "turns"),
        ("schedule", None),
        ("inspect", None),
        ("cover", "cover-sheet"),
    ],
)
def test_a_read_names_a_source(read: str, name: str | None) -> None:
    assert resolve_read(read, NAMES) == name


def test_an_exact_name_goes_before_a_leading_part() -> None:
    assert resolve_read("inspection", ["inspection-report", "inspection"]) == "inspection"


def test_a_leading_part_of_two_names_is_an_error_that_lists_them() -> None:
    with pytest.raises(Ambiguous, match="'inspection' may be inspection-a or inspection-b") as caught:
        resolve_read("inspection", ["inspection-b", "inspection-a"])

    assert caught.value.candidates == ("inspection-a", "inspection-b")
    assert caught.value.read == "inspection"


def test_the_error_passes_through_a_context_manager_with_its_cause() -> None:
    @contextlib.contextmanager
    def around() -> Iterator[None]:
        yield

    error = Ambiguous(read="inspection", candidates=("a", "b"))
    with pytest.raises(Ambiguous) as caught, around():
        raise error from KeyError("x")

    assert caught.value is error
    assert isinstance(caught.value.__cause__, KeyError)
    error.add_note("while reading PU-0412")


def test_the_error_survives_a_pickle() -> None:
    error = pickle.loads(pickle.dumps(Ambiguous(read="inspection", candidates=("a", "b"))))

    assert (error.read, error.candidates, str(error)) == ("inspection", ("a", "b"), "'inspection' may be a or b")


def test_evidence_holds_what_reads_names_in_its_order_each_once_and_lists_what_is_missing() -> None:
    sources = [source("output"), source("schedule"), source("cover-sheet")]

    evidence = select_evidence(["schedule", "Cover sheet", "loss runs", "cover", "final answer"], sources)

    assert [found.name for found in evidence.sources] == ["schedule", "cover-sheet", "output"]
    assert evidence.missing == ("loss runs",)
    assert evidence.missing_names == ("loss-runs",)
    assert evidence.source("turns") is None
