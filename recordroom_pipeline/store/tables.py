"""The Parquet tables: one declared schema each, checked at every write; their descriptions are DuckDB's comments too.

Every table begins with `spec` (``org/name``). Joins: verdicts, citations and flips by run, output and eval; segments and cells
by doc_id and segment_id; reviews by subject. Validation takes eager frames only: pandera skips value checks on lazy ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandera.polars as pa
import polars as pl

from recordroom_pipeline.errors import RecordRoomError
from recordroom_pipeline.judging.verdict import LABELS, NA_REASONS
from recordroom_pipeline.spec.model import SEVERITIES

_ORIGINS = ("computed", "model", "authored", "none")
_NUMBER = pl.Decimal(38, 8)


def _text(doc: str, *, null: bool = False, among: Sequence[str] = ()) -> pa.Column:
    checks = [pa.Check.isin(list(among))] if among else []
    return pa.Column(pl.String, checks, nullable=null, description=doc)


def _count(doc: str, *, null: bool = False, least: int = 0) -> pa.Column:
    return pa.Column(pl.Int64, pa.Check.ge(least), nullable=null, description=doc)


def _share(doc: str) -> pa.Column:
    return pa.Column(pl.Float64, [pa.Check.ge(0), pa.Check.le(1)], nullable=True, description=doc)


def _flag(doc: str, *, null: bool = False) -> pa.Column:
    return pa.Column(pl.Boolean, nullable=null, description=doc)


def _texts(doc: str) -> pa.Column:
    return pa.Column(pl.List(pl.String), description=doc)


_SPEC = _text("The spec, org/name.")
_VERSION_KEY = _text("Partition key: the version, or <version>-draft.<8 hex> for content nobody adopted.")
_CORPUS = _text("Partition key of the corpus snapshot: the first 12 hex digits of its hash.")
_RUN = _text("Run id: <UTC time>-<8 hex of the content hash>.")
_OUTPUT = _text("Output id.")
_EVAL = _text("Eval id.")
_VERDICT = _text("pass, fail or na.", among=LABELS)
_BATCH = _text("Review batch: the file's stem.")


def _table(doc: str, columns: Mapping[str, pa.Column], unique: Sequence[str]) -> pa.DataFrameSchema:
    return pa.DataFrameSchema(dict(columns), strict=True, ordered=True, unique=list(unique), description=doc)


TABLES: Mapping[str, pa.DataFrameSchema] = {
    "documents": _table(
        "How each file of a snapshot was read: one row a material of a task.",
        {
            "spec": _SPEC,
            "corpus": _CORPUS,
            "task": _text("Task id."),
            "source": _text("Name by which `reads` and citations call the file."),
            "file": _text("Path inside the task's folder."),
            "doc_id": _text("sha256 hex of the file's bytes."),
            "media_type": _text("Media type."),
            "parser": _text("Which parser read it."),
            "parser_version": _text("Version of that parser and its engine."),
            "parse_key": _text("Cache key of this reading."),
            "status": _text("ok, partial, or why there is no text (encrypted, no_text_layer, …)."),
            "reason": _text("Why the status is not ok, in words.", null=True),
            "size": _count("Bytes."),
            "encoding": _text("Text encoding that was used.", null=True),
            "n_pages": _count("Pages, for documents that have pages.", null=True),
            "n_chars": _count("Unicode code points of text."),
            "flags": _texts("What was noticed while reading."),
        },
        ["spec", "corpus", "task", "file"],
    ),
    "segments": _table(
        "Citable pieces of documents: headings, paragraphs, rows, page lines. One row a segment of a file's content.",
        {
            "spec": _SPEC,
            "corpus": _CORPUS,
            "doc_id": _text("sha256 hex of the file's bytes."),
            "file": _text("Path inside the task's folder, part of the locator."),
            "segment_id": _text("16 hex, unique in the document."),
            "ordinal": _count("Reading order within the document, from 0."),
            "view": _text("Which rendering of the page: source, flow, layout or form."),
            "kind": _text("heading, paragraph, table_row, page_line, csv_row, …"),
            "locator": _text("Where it stands, such as schedule.csv#r12."),
            "text": _text("Verbatim."),
            "char_start": _count("Offset in the view's text, in code points, inclusive."),
            "char_end": _count("Offset in the view's text, in code points, exclusive."),
            "page": _count("Page, from 1.", null=True, least=1),
            "row": _count("Table row, from 1; 0 is the header.", null=True),
            "shown": _flag("Whether a judge reads it."),
            "hidden": _flag("In the file, but invisible to a person."),
        },
        ["spec", "corpus", "doc_id", "file", "view", "locator"],
    ),
    "cells": _table(
        "Cells of tables, with the number beside the text as written.",
        {
            "spec": _SPEC,
            "corpus": _CORPUS,
            "doc_id": _text("sha256 hex of the file's bytes."),
            "file": _text("Path inside the task's folder."),
            "segment_id": _text("The row's segment."),
            "row": _count("Data row, from 1; 0 is the header."),
            "col_index": _count("Column, from 0; two cells of a PDF's row may stand under one header."),
            "col_name": _text("Header as written; empty where there is none."),
            "col_key": _text("Header made unique."),
            "raw": _text("Text as written."),
            "char_start": _count("Offset in the text of the segment's view, in code points, inclusive."),
            "char_end": _count("Offset in the text of the segment's view, in code points, exclusive."),
            "number": pa.Column(_NUMBER, nullable=True, description="The number, where the text is one; at most 8 decimals."),
            "number_kind": _text("int, decimal, currency or percent.", null=True),
            "currency": _text("Currency code or sign.", null=True),
            "is_total": _flag("The row is a total of rows above."),
        },
        ["spec", "corpus", "doc_id", "file", "segment_id", "col_index", "char_start"],
    ),
    "specs": _table(
        "Versions of specs: one row a content.",
        {
            "spec": _SPEC,
            "version_key": _VERSION_KEY,
            "version": _text("Semantic version."),
            "hash": _text("sha256 over the compiled spec."),
            "adopted": _flag("Whether this content stands in dist/versions."),
            "description": _text("One line."),
            "maintainers": _texts("Who maintains it."),
            "license": _text("SPDX id."),
            "forked_from": _text("org/name@version it was forked from.", null=True),
            "n_evals": _count("Evals in this version."),
        },
        ["spec", "version_key"],
    ),
    "evals": _table(
        "Evals of every version: one row a version × eval.",
        {
            "spec": _SPEC,
            "version_key": _VERSION_KEY,
            "eval": _EVAL,
            "place": _count("Order in SPEC.md, from 0."),
            "task_group": _text("Heading that groups evals for people."),
            "severity": _text("blocking, major or minor.", among=SEVERITIES),
            "sentence": _text("The rule, one expert sentence."),
            "reads": _texts("Sources that may influence the verdict."),
            "fail_when": _text("When it fails."),
            "na_when": _text("When it does not apply.", null=True),
            "check": _text("Computed check; null for a judged eval.", null=True),
            "identity": _text("Hash over what decides a verdict."),
            "pinned": _texts("Outputs pinned as examples of this eval."),
        },
        ["spec", "version_key", "eval"],
    ),
    "outputs": _table(
        "Outputs of every snapshot: one row a snapshot × output.",
        {
            "spec": _SPEC,
            "corpus": _CORPUS,
            "output": _OUTPUT,
            "task": _text("Task id."),
            "task_title": _text("Title of the task."),
            "agent": _text("Agent id."),
            "agent_kind": _text("captured (real work) or generated.", among=("captured", "generated")),
            "agent_model": _text("Model of the agent, where known.", null=True),
            "n_turns": _count("Turns."),
            "n_tool_calls": _count("Tool calls among them."),
            "final": _text("Last agent message: the deliverable."),
            "sha256": _text("Digest of the output's content."),
        },
        ["spec", "corpus", "output"],
    ),
    "verdicts": _table(
        "Verdicts of runs: one row a run × output × eval; nothing is dropped.",
        {
            "spec": _SPEC,
            "run": _RUN,
            "version_key": _VERSION_KEY,
            "corpus": _CORPUS,
            "task": _text("Task id."),
            "output": _OUTPUT,
            "eval": _EVAL,
            "severity": _text("blocking, major or minor.", among=SEVERITIES),
            "verdict": _VERDICT,
            "na_reason": _text("Given exactly when the verdict is na.", null=True, among=NA_REASONS),
            "why": _text("The reason, in sentences."),
            "origin": _text("Who decided: computed, model, authored (a person's recorded answer) or none.", among=_ORIGINS),
            "n_citations": _count("Verified citations."),
            "eval_identity": _text("Hash over what decides this eval."),
            "evidence_sha256": _text("Hash of exactly what was shown."),
            "subject": _text("What a review of this verdict is about; the same across versions that left it alone."),
            "verdict_key": _text("Hash over everything that can change the verdict."),
            "tokens_in": _count("Tokens sent when it was decided."),
            "tokens_out": _count("Tokens received when it was decided."),
            "usd": pa.Column(pl.Float64, nullable=True, description="Cost in US dollars; null where no price is known."),
        },
        ["spec", "run", "output", "eval"],
    ),
    "citations": _table(
        "Quotes that verdicts rest on, each verified against the evidence.",
        {
            "spec": _SPEC,
            "run": _RUN,
            "output": _OUTPUT,
            "eval": _EVAL,
            "place": _count("Order within the verdict, from 0."),
            "source": _text("Source it stands in; `from` in run.json."),
            "span": _text("Verbatim."),
            "locator": _text("Where it was found.", null=True),
            "segment_id": _text("The segment it was found in.", null=True),
            "start": _count("Offset in the segment, in code points, inclusive.", null=True),
            "end": _count("Offset in the segment, in code points, exclusive.", null=True),
            "match": _text("exact, or normalised (white space, quotes, dashes folded).", null=True),
        },
        ["spec", "run", "output", "eval", "place"],
    ),
    "runs": _table(
        "Runs: one version over one snapshot, by one instrument.",
        {
            "spec": _SPEC,
            "run": _RUN,
            "version_key": _VERSION_KEY,
            "version": _text("Semantic version."),
            "spec_hash": _text("Hash of the compiled spec."),
            "corpus": _CORPUS,
            "corpus_hash": _text("Hash of the snapshot."),
            "judge": _text("Model that judged; null where no judge was configured.", null=True),
            "created_at": _text("UTC, ISO 8601."),
            "n_verdicts": _count("Outputs × evals."),
            "n_pass": _count("Verdicts pass."),
            "n_fail": _count("Verdicts fail."),
            "n_na": _count("Verdicts na, for any reason."),
            "n_unjudged": _count("Of those: not_judgeable, no verdict on the work."),
            "usd": pa.Column(pl.Float64, nullable=True, description="Cost in US dollars; null where no price is known."),
            "path": _text("run.json, relative to the project's root."),
        },
        ["spec", "run"],
    ),
    "reviews": _table(
        "Experts' answers to verdicts: one row a review.",
        {
            "spec": _SPEC,
            "batch": _BATCH,
            "batch_place": _count("Order in which batches were registered, from 0."),
            "row": _count("Row in the file, from 1.", least=1),
            "status": _text("attached to a verdict, or waiting for it.", among=("attached", "waiting")),
            "run": _text("Run of the verdict, once attached.", null=True),
            "version": _text("Version that the row names.", null=True),
            "output": _OUTPUT,
            "eval": _EVAL,
            "verdict": _text("The verdict reviewed, once attached.", null=True, among=LABELS),
            "subject": _text("The verdict's subject, once attached.", null=True),
            "agree": _flag("Whether the expert agrees; null on a waiting blind review.", null=True),
            "should_be": _text("The expert's own verdict.", null=True, among=LABELS),
            "unclear": _flag("The expert finds the rule unclear."),
            "note": _text("The expert's note.", null=True),
            "reviewed_by": _text("The expert."),
            "on": _text("Date, YYYY-MM-DD."),
        },
        ["spec", "batch", "row"],
    ),
    "review_rejects": _table(
        "Rows of review files that could not be taken in.",
        {
            "spec": _SPEC,
            "batch": _BATCH,
            "row": _count("Row in the file, from 1; 0 is the file itself."),
            "reason": _text("What is wrong."),
            "remedy": _text("What to write instead."),
        },
        ["spec", "batch", "row"],
    ),
    "precision": _table(
        "Share of reviewed verdicts that experts agree with, as of a batch: one row a version × eval × verdict, and `all`.",
        {
            "spec": _SPEC,
            "batch": _BATCH,
            "version_key": _VERSION_KEY,
            "eval": _EVAL,
            "verdict": _text("pass, fail, na, or all of them.", among=(*LABELS, "all")),
            "n": _count("Verdicts reviewed (subjects, not reviews), split ones aside, pinned examples' outputs aside."),
            "n_agree": _count("Of n: the majority of experts agrees."),
            "precision": _share("n_agree / n; null where n is 0."),
            "low": _share("Lower end of the 95 % Wilson interval."),
            "high": _share("Upper end of the 95 % Wilson interval."),
            "n_split": _count("Verdicts on which experts are tied; not in n."),
            "n_pinned": _count("Reviewed verdicts set aside because their own output is a pinned example."),
            "agreement": _share("Plain share of reviews that agree, pinned and split ones included."),
            "n_reviews": _count("Reviews behind it, the newest of each expert on each verdict."),
            "n_verdicts": _count("Verdicts of this version, eval and label; not_judgeable ones aside."),
            "n_unjudged": _count("Outputs that this eval left not_judgeable."),
            "reviewed_share": _share("Share of n_verdicts that were reviewed."),
            "reason": _text("Why precision is null, where it is.", null=True),
        },
        ["spec", "batch", "version_key", "eval", "verdict"],
    ),
    "flips": _table(
        "Verdicts that differ between two versions over one snapshot, marked with what experts said of the old one.",
        {
            "spec": _SPEC,
            "batch": _text("Review batch as of which they are marked; `-` before any."),
            "before": _text("Version key before."),
            "after": _text("Version key after."),
            "run_before": _RUN,
            "run_after": _RUN,
            "corpus": _CORPUS,
            "output": _OUTPUT,
            "eval": _EVAL,
            "verdict_before": _VERDICT,
            "verdict_after": _VERDICT,
            "mark": _text(
                "fixes (experts disagreed with the old verdict and the new one is what they want), breaks (they agreed with "
                "the old one), disputed, or unreviewed.",
                among=("fixes", "breaks", "disputed", "unreviewed"),
            ),
            "why_before": _text("Reason of the old verdict."),
            "why_after": _text("Reason of the new verdict."),
        },
        ["spec", "batch", "run_before", "run_after", "output", "eval"],
    ),
}


def column_types(table: str) -> dict[str, Any]:
    """The polars type of each column, in order."""
    return {name: column.dtype.type for name, column in TABLES[table].columns.items()}


def frame(table: str, rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Rows as a validated frame; no rows give an empty frame with every column.

    Raises:
        RecordRoomError: listing what breaks the table's schema. That is a bug of ours, hence no file is named.
    """
    types = column_types(table)
    unknown = {key for row in rows for key in row} - set(types)
    if unknown:
        raise RecordRoomError(f"table {table} has no column {', '.join(sorted(unknown))}")
    values = [[row.get(name) for name in types] for row in rows]
    try:
        built = pl.DataFrame(values, schema=types, orient="row", strict=True)
        return TABLES[table].validate(built, lazy=True)
    except pa.errors.SchemaErrors as errors:
        raise RecordRoomError(f"rows break the schema of table {table}:\n{errors.failure_cases}") from errors
    except (pl.exceptions.PolarsError, TypeError) as error:
        raise RecordRoomError(f"rows do not fit the columns of table {table}: {error}") from error
