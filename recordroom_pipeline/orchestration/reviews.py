"""Taking review batches in, and what follows from them; the work of the review assets, without dagster."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recordroom_pipeline.canonical import sha256_hex
from recordroom_pipeline.errors import AlreadyWritten, NotFound
from recordroom_pipeline.orchestration.register import find_batches
from recordroom_pipeline.reviews.attach import AttachedRows, VerdictIndex, attach
from recordroom_pipeline.reviews.model import Attached, Reviewable
from recordroom_pipeline.reviews.read import BatchRows, read_batch
from recordroom_pipeline.spec.versions import base_version, is_draft, version_order
from recordroom_pipeline.store.atomic import create, write_bytes
from recordroom_pipeline.store.files import SpecFolder, json_bytes
from recordroom_pipeline.store.parquet import read_table, table_files, write_table
from recordroom_pipeline.store.queries import compute_flips, compute_precision


def take_in(folder: SpecFolder, batch: str, batches: Sequence[str]) -> dict[str, Any]:
    """Rows of `reviews` and `review_rejects` for one batch; ``batches`` are all keys in order of registration.

    Raises:
        AlreadyWritten: when the file changed after it was taken in.
    """
    rows = _read(folder, batch)
    found = _attach(folder, rows)
    _write_reviews(folder, batch, batches, found.reviews)
    rejects = [
        {"spec": folder.name, "batch": batch, "row": reject.row, "reason": reject.reason, "remedy": reject.remedy}
        for reject in (*rows.rejects, *found.rejects)
    ]
    write_table(folder.table_file("review_rejects", batch), "review_rejects", rejects)
    counts = Counter(review.status for review in found.reviews)
    return {
        "reviews": len(found.reviews),
        "attached": counts["attached"],
        "waiting": counts["waiting"],
        "rejected": len(rejects),
        "unanswered": rows.skipped,
        "disagree": sum(review.agree is False for review in found.reviews),
    }


def _read(folder: SpecFolder, batch: str) -> BatchRows:
    path = find_batches(folder).get(batch)
    if path is None:
        known = ", ".join(find_batches(folder)) or "none"
        raise NotFound(f"{folder.name} has no review batch '{batch}' in {folder.project.shown(folder.reviews)}; known: {known}")
    data = path.read_bytes()
    shown = folder.project.shown(path)
    record = folder.kept("batches", f"{batch}.json")
    digest = {"batch": batch, "file": path.name, "sha256": sha256_hex(data)}
    if not create(record, json_bytes(digest)) and json.loads(record.read_bytes())["sha256"] != digest["sha256"]:
        raise AlreadyWritten(
            f"{shown} changed after it was taken in; a batch is immutable: restore it, and put new rows into a new file"
        )
    return read_batch(data, path=shown, batch=batch)


def _attach(folder: SpecFolder, rows: BatchRows) -> AttachedRows:
    return attach(rows.reviews, VerdictIndex(reviewable_verdicts(folder)))


def reviewable_verdicts(folder: SpecFolder) -> list[Reviewable]:
    """Every verdict of every run, as reviews name them."""
    root, slug = folder.project.tables, folder.slug
    runs = read_table(table_files(root, "runs", spec=slug), "runs")
    created = dict(zip(runs["run"], runs["created_at"], strict=True))
    verdicts = read_table(table_files(root, "verdicts", spec=slug), "verdicts")
    columns = ("run", "version_key", "output", "eval", "verdict", "na_reason", "subject")
    return [
        Reviewable(
            run=run,
            version=base_version(version_key),
            created_at=created.get(run, ""),
            output=output,
            eval=eval_id,
            verdict=verdict,
            na_reason=na_reason,
            subject=subject,
        )
        for run, version_key, output, eval_id, verdict, na_reason, subject in verdicts.select(columns).iter_rows()
    ]


def _write_reviews(folder: SpecFolder, batch: str, batches: Sequence[str], reviews: Sequence[Attached]) -> None:
    place = list(batches).index(batch)
    rows = [_review_row(folder.name, place, review) for review in reviews]
    write_table(folder.table_file("reviews", batch), "reviews", rows)


def _review_row(spec: str, place: int, attached: Attached) -> dict[str, Any]:
    review = attached.review
    return {
        "spec": spec,
        "batch": review.batch,
        "batch_place": place,
        "row": review.row,
        "status": attached.status,
        "run": attached.run,
        "version": review.version,
        "output": review.output,
        "eval": review.eval,
        "verdict": attached.verdict,
        "subject": attached.subject,
        "agree": attached.agree,
        "should_be": review.should_be,
        "unclear": review.unclear,
        "note": review.note,
        "reviewed_by": review.reviewed_by,
        "on": review.on,
    }


def as_of(batch: str, batches: Sequence[str]) -> list[str]:
    """The batches up to one, in order of registration."""
    return list(batches)[: list(batches).index(batch) + 1]


def attach_again(folder: SpecFolder, batches: Sequence[str]) -> None:
    """Tie reviews that waited to verdicts that came since."""
    for batch in batches:
        take_in(folder, batch, batches)


def write_precision(folder: SpecFolder, batch: str, batches: Sequence[str]) -> dict[str, Any]:
    """Rows of `precision` as of one batch."""
    counting = as_of(batch, batches)
    attach_again(folder, counting)
    rows = compute_precision(folder.project.tables, spec=folder.name, slug=folder.slug, batches=counting)
    write_table(folder.table_file("precision", batch), "precision", rows)
    total = [row for row in rows if row["verdict"] == "all"]
    n = sum(row["n"] for row in total)
    return {
        "evals × versions": len(total),
        "verdicts reviewed": n,
        "precision over all": sum(row["n_agree"] for row in total) / n if n else "no reviews",
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPair:
    """Two runs over one snapshot, of versions that follow each other."""

    before: str
    after: str
    corpus: str
    version_before: str
    version_after: str


def run_pairs(folder: SpecFolder, *, after: str | None = None) -> list[RunPair]:
    """For each version that has a run, its newest run and that of the version before it, over each snapshot both have.

    The version before is the newest one of a smaller number: what was adopted where there is something, else a draft.
    """
    runs = read_table(table_files(folder.project.tables, "runs", spec=folder.slug), "runs").sort("created_at", "run")
    newest = {(key, corpus): run for key, corpus, run in runs.select("version_key", "corpus", "run").iter_rows()}
    pairs = []
    for (key, corpus), run in newest.items():
        if after is not None and key != after:
            continue
        earlier = [
            other
            for other, other_corpus in newest
            if other_corpus == corpus and version_order(base_version(other)) < version_order(base_version(key))
        ]
        if earlier:
            base = max(earlier, key=lambda other: (not is_draft(other), version_order(base_version(other))))
            pairs.append(RunPair(before=newest[base, corpus], after=run, corpus=corpus, version_before=base, version_after=key))
    # Runs of one command are often made within one second, so that their times say nothing of their order.
    return sorted(pairs, key=lambda pair: (version_order(base_version(pair.version_after)), pair.version_after, pair.corpus))


def write_flips(folder: SpecFolder, batch: str, batches: Sequence[str]) -> dict[str, Any]:
    """Rows of `flips` as of one batch, over every pair of versions that follow each other."""
    counting = as_of(batch, batches)
    attach_again(folder, counting)
    rows = [row for pair in run_pairs(folder) for row in flip_rows(folder, pair, batch, counting)]
    write_table(folder.table_file("flips", batch), "flips", rows)
    return {"flips": len(rows), **Counter(row["mark"] for row in rows)}


def flip_rows(folder: SpecFolder, pair: RunPair, batch: str, counting: Sequence[str]) -> list[dict[str, Any]]:
    """Rows of `flips` for one pair of runs."""
    found = compute_flips(
        folder.project.tables, spec=folder.name, slug=folder.slug, before=pair.before, after=pair.after, batches=counting
    )
    ids = {
        "spec": folder.name,
        "batch": batch,
        "before": pair.version_before,
        "after": pair.version_after,
        "run_before": pair.before,
        "run_after": pair.after,
        "corpus": pair.corpus,
    }
    return [{**ids, **row} for row in found]


def write_version_diff(folder: SpecFolder, version: str, batches: Sequence[str]) -> dict[str, Any]:
    """The flips of one version against the one before it, as a document that adoption can show and keep."""
    pairs = run_pairs(folder, after=version)
    diffs: list[dict[str, Any]] = []
    for pair in pairs:
        flips = flip_rows(folder, pair, batches[-1] if batches else "-", batches)
        document = {"kind": "diff", "spec": folder.name, "from": pair.version_before, "to": version, "corpus": pair.corpus}
        runs = {"before": pair.before, "after": pair.after}
        marks = Counter(flip["mark"] for flip in flips)
        diffs.append({**document, "runs": runs, "marks": dict(marks), "flips": [_flip_document(flip) for flip in flips]})
    from_ = pairs[0].version_before if pairs else "none"
    path = folder.kept("diffs", f"{from_}__{version}.json")
    if diffs:
        write_bytes(path, json_bytes(diffs))
    marks = Counter(flip["mark"] for diff in diffs for flip in diff["flips"])
    shown = folder.project.shown(path) if diffs else "no run of an earlier version to compare with"
    return {"against": from_, "flips": marks.total(), **marks, "diff": shown}


def _flip_document(flip: dict[str, Any]) -> dict[str, Any]:
    names = ("output", "eval", "verdict_before", "verdict_after", "mark", "why_before", "why_after")
    return {name: flip[name] for name in names}
