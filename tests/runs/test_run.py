"""run.json and flips ("Runs")."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordroom_pipeline.errors import RecordRoomError
from recordroom_pipeline.evidence.model import Anchor, Citation
from recordroom_pipeline.judging.decision import Usage
from recordroom_pipeline.judging.verdict import Finding, na
from recordroom_pipeline.runs.flips import find_flips
from recordroom_pipeline.runs.model import (
    RUN_KEYS,
    Result,
    Run,
    check_run_document,
    run_content_hash,
    run_document,
    run_id,
    run_params,
)

CITED = (
    Citation(
        source="output",
        span="TIV: $5",
        at=Anchor(locator="output#final:L1@0-7", segment_id="s", start=0, end=7, match="exact"),
    ),
)
FINDINGS = {
    "pass": Finding(verdict="pass", why="w", citations=CITED),
    "fail": Finding(verdict="fail", why="w", citations=CITED),
    "na": na("not_applicable", "w", CITED),
    "unjudged": na("not_judgeable", "w"),
}


def result(output: str, eval_id: str, label: str) -> Result:
    return Result(
        task="T",
        output=output,
        eval=eval_id,
        severity="major",
        eval_identity=f"sha256:{eval_id}",
        evidence_sha256=f"sha256:{output}",
        verdict_key=f"sha256:{output}{eval_id}",
        origin="computed",
        finding=FINDINGS[label],
        usage=Usage(),
    )


RUN = Run(
    spec="a/b",
    spec_version="0.1.0",
    spec_hash="sha256:s",
    version_key="0.1.0",
    corpus_hash="sha256:c",
    corpus_key="c",
    params={"tolerance": 1},
    instruments={"judge": {"model": None, "strategy": "none", "votes": 0}, "parser": {"version": "1"}},
    results=(result("a", "e", "pass"), result("b", "e", "fail"), result("c", "e", "unjudged")),
    created_at="2026-12-01T09:30:00Z",
    id="r",
)


def test_run_json_has_the_formats_fields_in_its_order() -> None:
    document = run_document(RUN)

    assert tuple(document) == RUN_KEYS
    assert tuple(document["results"][0]) == ("task", "output", "eval", "verdict", "na_reason", "why", "citations")
    assert document["results"][0]["citations"] == [{"from": "output", "span": "TIV: $5", "at": "output#final:L1@0-7"}]
    assert document["totals"] == {"pass": 1, "fail": 1, "na": 1}
    check_run_document(document, path="r.json")


def test_when_a_run_was_made_is_no_content() -> None:
    later = replace(RUN, created_at="2027-01-01T00:00:00Z", id="x")

    assert run_content_hash(later) == run_content_hash(RUN)
    assert run_content_hash(replace(RUN, params={"tolerance": 2})) != run_content_hash(RUN)
    assert run_id(RUN.created_at, "sha256:0123456789") == "20261201T093000Z-01234567"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"totals": {"pass": 3, "fail": 0, "na": 0}}, "totals"),
        ({"kind": "walk"}, "no run.json"),
        ({"extra": 1}, "no run.json"),
    ],
)
def test_a_run_json_that_contradicts_itself_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(RecordRoomError, match=f"r.json: {message}"):
        check_run_document({**run_document(RUN), **change}, path="r.json")


def test_a_pair_that_stands_twice_is_refused() -> None:
    twice = run_document(replace(RUN, results=(*RUN.results, RUN.results[0])))

    with pytest.raises(RecordRoomError, match="a × e stands twice"):
        check_run_document(twice, path="r.json")


def test_parameters_of_one_name_and_two_values_are_told_apart() -> None:
    assert run_params({"x": {"limit": 1}, "y": {"limit": 2}}) == {"x.limit": 1, "y.limit": 2}


LABELLED = st.dictionaries(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz")), st.sampled_from(list(FINDINGS)), max_size=12
)


@given(LABELLED, LABELLED, st.randoms())
def test_flips_pair_by_key_mirror_each_other_and_leave_nothing_out(before, after, random) -> None:
    old, new = ([result(*pair, label) for pair, label in side.items()] for side in (before, after))
    random.shuffle(new)
    there, back = find_flips(old, new), find_flips(new, old)

    both = before.keys() & after.keys()
    judged = {pair for pair in both if "unjudged" not in (before[pair], after[pair])}
    assert {(flip.output, flip.eval) for flip in there.flips} == {pair for pair in judged if before[pair] != after[pair]}
    assert (there.compared, there.unjudged) == (len(judged), len(both) - len(judged))
    assert (there.only_before, there.only_after) == (len(before) - len(both), len(after) - len(both))
    assert {(flip.before, flip.after) for flip in there.flips} == {(flip.after, flip.before) for flip in back.flips}
    assert there.rate == (len(there.flips) / len(judged) if judged else None)
