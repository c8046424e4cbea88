"""SQL against its oracle in Python, on random runs and reviews."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from recordroom_pipeline.reviews.model import Attached, Review, Reviewable
from recordroom_pipeline.reviews.precision import mark_flip, newest, precision_by_eval
from recordroom_pipeline.store.parquet import write_table
from recordroom_pipeline.store.queries import compute_flips, compute_precision
from recordroom_pipeline.store.tables import column_types

SPEC, SLUG, BATCHES = "a/b", "a~b", ["first", "second", "later"]
LABELS = ("pass", "fail", "na", "unjudged")


def full(table: str, **given: Any) -> dict[str, Any]:
    """A row with a plain value in every column that the test does not care about."""
    plain = {"String": "x", "Int64": 1, "Boolean": False, "Float64": 0.0, "List(String)": []}
    row = {name: plain.get(str(kind)) for name, kind in column_types(table).items()}
    return row | {"spec": SPEC, "severity": "major", "origin": "computed", "na_reason": None, "should_be": None} | given


def row_of(table: str, **given: Any) -> dict[str, Any]:
    return {name: value for name, value in full(table, **given).items() if name in column_types(table)}


RUNS = st.lists(
    st.dictionaries(st.tuples(st.sampled_from("opq"), st.sampled_from("ef")), st.sampled_from(LABELS), max_size=6),
    min_size=1,
    max_size=3,
)
REVIEWS = st.lists(
    st.tuples(
        st.integers(0, 40),
        st.booleans(),
        st.sampled_from([None, "pass", "fail", "na"]),
        st.sampled_from(["x", "y", "z"]),
        st.sampled_from(["2026-01-01", "2026-01-02"]),
        st.sampled_from(BATCHES),
    ),
    max_size=14,
)


@settings(max_examples=60)
@given(RUNS, REVIEWS, st.sets(st.sampled_from("opq"), max_size=1), st.integers(1, 3))
def test_precision_and_flips_in_sql_agree_with_python(runs, answers, pinned, n_batches) -> None:
    verdicts: list[Reviewable] = []
    for number, run in enumerate(runs):
        for (output, eval_id), label in run.items():
            na_reason = "not_judgeable" if label == "unjudged" else "not_applicable" if label == "na" else None
            verdict = label if label in ("pass", "fail") else "na"
            # The same verdict on the same output is the same subject, whichever run gave it.
            subject = f"{eval_id}|{output}|{verdict}"
            verdicts.append(
                Reviewable(run=f"r{number}", version="1.0.0", created_at=f"2026-01-0{number + 1}", output=output, eval=eval_id,
                           verdict=verdict, na_reason=na_reason, subject=subject)
            )  # fmt: skip
    reviewable = [verdict for verdict in verdicts if verdict.na_reason != "not_judgeable"]
    reviews = [
        Attached(
            review=Review(batch=batch, row=row, output=verdict.output, eval=verdict.eval, reviewed_by=by, on=on, agree=agree,
                          should_be=None if agree else should_be),
            status="attached", run=verdict.run, verdict=verdict.verdict, subject=verdict.subject, agree=agree,
        )
        for row, (place, agree, should_be, by, on, batch) in enumerate(answers, start=1)
        if reviewable
        for verdict in [reviewable[place % len(reviewable)]]
    ]  # fmt: skip
    counting = BATCHES[:n_batches]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write(root, runs, verdicts, reviews, pinned)
        rows = compute_precision(root, spec=SPEC, slug=SLUG, batches=counting)
        flips = compute_flips(root, spec=SPEC, slug=SLUG, before="r0", after=f"r{len(runs) - 1}", batches=counting)

    latest = {(verdict.output, verdict.eval): verdict for verdict in sorted(verdicts, key=lambda verdict: verdict.created_at)}
    oracle = precision_by_eval(list(latest.values()), reviews, counting, {"e": frozenset(pinned)})
    numbers = ("n", "n_agree", "n_split", "n_pinned", "n_reviews", "n_verdicts", "n_unjudged", "precision", "agreement")
    assert {(row["eval"], row["verdict"]): tuple(row[name] for name in numbers) for row in rows} == {
        (row.eval, row.verdict): tuple(getattr(row, name) for name in numbers) for row in oracle
    }
    wanted = expected_flips(verdicts, reviews, counting, len(runs))
    assert {(row["output"], row["eval"], row["mark"]) for row in flips} == wanted


def expected_flips(verdicts, reviews, counting, n_runs) -> set[tuple[str, str, str]]:
    sides = [{(v.output, v.eval): v for v in verdicts if v.run == run} for run in ("r0", f"r{n_runs - 1}")]
    found = set()
    for pair in sides[0].keys() & sides[1].keys():
        before, after = sides[0][pair], sides[1][pair]
        if "not_judgeable" in (before.na_reason, after.na_reason) or before.verdict == after.verdict:
            continue
        mine = [review for review in newest(reviews, counting) if review.subject == before.subject]
        found.add((*pair, mark_flip(before.verdict, after.verdict, mine)))
    return found


def write(root: Path, runs, verdicts, reviews, pinned) -> None:
    place = f"spec={SLUG}"
    run_rows = [row_of("runs", run=f"r{n}", version_key="1.0.0", created_at=f"2026-01-0{n + 1}") for n in range(len(runs))]
    write_table(root / "runs" / place / "r.parquet", "runs", run_rows)
    write_table(root / "verdicts" / place / "v.parquet", "verdicts", [verdict_row(verdict) for verdict in verdicts])
    evals = [row_of("evals", version_key="1.0.0", eval="e", pinned=sorted(pinned))]
    write_table(root / "evals" / place / "e.parquet", "evals", evals)
    write_table(root / "reviews" / place / "b.parquet", "reviews", [review_row(review) for review in reviews])


def verdict_row(verdict: Reviewable) -> dict[str, Any]:
    names = ("run", "output", "eval", "verdict", "na_reason", "subject")
    return row_of("verdicts", version_key="1.0.0", **{name: getattr(verdict, name) for name in names})


def review_row(attached: Attached) -> dict[str, Any]:
    names = ("batch", "row", "output", "eval", "should_be", "reviewed_by", "on")
    mine = {name: getattr(attached, name) for name in ("status", "run", "verdict", "subject", "agree")}
    return row_of("reviews", **mine, **{name: getattr(attached.review, name) for name in names})


def test_every_query_runs_on_empty_tables(tmp_path: Path) -> None:
    assert compute_precision(tmp_path, spec=SPEC, slug=SLUG, batches=["b"]) == []
    assert compute_flips(tmp_path, spec=SPEC, slug=SLUG, before="r1", after="r2", batches=[]) == []
