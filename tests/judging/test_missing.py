"""What is decided without a judge when evidence is missing or unreadable."""

from __future__ import annotations

from dataclasses import replace

from recordroom_pipeline.evidence.model import Evidence, Source
from recordroom_pipeline.evidence.reads import fold
from recordroom_pipeline.judging.missing import missing_source_finding
from recordroom_pipeline.spec.model import Eval

SCHEDULE = Source(name="schedule", kind="material", content_sha256="0", segments=())
BROKEN = replace(SCHEDULE, status="encrypted", reason="the file needs a password.")
RULE = Eval(
    id="rule",
    task_group="t",
    severity="minor",
    sentence="s",
    reads=("schedule", "loss runs"),
    fail_when="f",
    na_when="the submission has no loss run.",
)


def evidence(*sources: Source, missing: tuple[str, ...] = ()) -> Evidence:
    return Evidence(sources=sources, missing=missing, missing_names=tuple(fold(name) for name in missing))


def test_one_readable_source_leaves_the_verdict_to_the_judge() -> None:
    assert missing_source_finding(RULE, evidence(SCHEDULE, missing=("loss runs",))) is None
    assert missing_source_finding(RULE, evidence(BROKEN, replace(SCHEDULE, name="cover", status="partial"))) is None


def test_nothing_provided_is_not_applicable_where_na_when_names_one_of_them() -> None:
    finding = missing_source_finding(RULE, evidence(missing=("schedule", "loss runs")))

    assert finding is not None
    assert finding.na_reason == "not_applicable"
    assert finding.why == "'loss runs' was not provided for this task, which na-when names."


def test_nothing_provided_is_insufficient_evidence_where_na_when_names_none() -> None:
    finding = missing_source_finding(RULE, evidence(missing=("schedule", "cover sheet")))

    assert finding is not None
    assert finding.na_reason == "insufficient_evidence"
    assert finding.why == "'schedule' and 'cover sheet' were not provided for this task."


def test_a_document_that_cannot_be_read_was_provided() -> None:
    finding = missing_source_finding(RULE, evidence(replace(BROKEN, name="loss-runs")))

    assert finding is not None
    assert finding.na_reason == "insufficient_evidence"
    assert finding.why == "'loss-runs' was provided but cannot be read: the file needs a password."


def test_one_missing_and_one_unreadable_source_are_both_told() -> None:
    finding = missing_source_finding(RULE, evidence(BROKEN, missing=("cover sheet",)))

    assert finding is not None
    assert finding.na_reason == "insufficient_evidence"
    assert "'cover sheet' was not provided" in finding.why
    assert "needs a password" in finding.why
