"""Recorded answers, and the runner that puts questions to a judge."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from recordroom_pipeline.canonical import sha256_hex
from recordroom_pipeline.errors import JudgeUnavailable
from recordroom_pipeline.evidence.model import Evidence, Segment, Source
from recordroom_pipeline.judges.none import NoJudge
from recordroom_pipeline.judges.recorded import RecordedJudge, read_recording
from recordroom_pipeline.judges.resolve import resolve_judge, unused_keys
from recordroom_pipeline.judges.runner import judge_questions, question_key
from recordroom_pipeline.judging.decision import Decision
from recordroom_pipeline.judging.question import Question, recording_match
from recordroom_pipeline.judging.verdict import na
from recordroom_pipeline.spec.model import Eval

EVAL = Eval(id="e", task_group="t", severity="major", sentence="S.", reads=("output",), fail_when="f.", na_when="n.")
HEAD = {"kind": "recording", "origin": "authored", "by": "A. Lawyer", "on": "2026-09-01"}


def question(text: str, output: str = "o") -> Question:
    place = {"segment_id": "s", "ordinal": 0, "view": "source", "kind": "message", "locator": "output#final:L1"}
    segment = Segment(**place, text=text, char_start=0, char_end=len(text))  # type: ignore[arg-type]
    source = Source(name="output", kind="output", content_sha256=sha256_hex(text.encode()), segments=(segment,))
    digest = sha256_hex(text.encode())
    return Question(task="t", output=output, eval=EVAL, params={}, evidence=Evidence(sources=(source,)), evidence_sha256=digest)


def entry(asked: Question, answer: str = "pass", span: str | None = None) -> dict[str, Any]:
    spans = [{"from": "output", "span": span or asked.evidence.sources[0].segments[0].text}]
    return {"match": recording_match(asked), "eval": "e", "output": "o", "answer": answer, "why": "read", "citations": spans}


def recorded(*rows: Mapping[str, Any], head: Mapping[str, Any] = HEAD):
    return read_recording("".join(json.dumps(row) + "\n" for row in (head, *rows)).encode(), path="r.jsonl")


def decide(judge: RecordedJudge | NoJudge, asked: Question) -> Decision:
    return asyncio.run(judge.decide(asked, "k"))


def test_an_answer_is_replayed_for_its_own_question_with_its_spans_verified() -> None:
    asked = question("The deposit is named.")
    recording, problems = recorded(entry(asked))
    assert recording is not None
    decision = decide(RecordedJudge([recording]), asked)

    assert problems == []
    assert (decision.finding.verdict, decision.origin) == ("pass", "authored")
    assert decision.finding.citations[0].at is not None
    assert RecordedJudge([recording]).instrument()["origin"] == "authored"


def test_what_does_not_match_or_no_longer_stands_there_is_not_judgeable() -> None:
    asked = question("The deposit is named.")
    recording, _ = recorded(entry(asked, span="It was named elsewhere."))
    assert recording is not None
    judge = RecordedJudge([recording])

    assert decide(judge, asked).finding.na_reason == "not_judgeable"
    other = decide(judge, question("Another text."))
    assert (other.origin, other.finding.na_reason) == ("none", "not_judgeable")
    assert "RECORDROOM_JUDGE_MODEL" in other.finding.why


@pytest.mark.parametrize(
    ("rows", "code", "line"),
    [
        ([{"match": None, "eval": "e", "output": "o", "answer": "pass", "why": "w", "citations": []}], "RR244", 2),
        ([{"eval": "e"}], "RR243", 2),
    ],
)
def test_a_faulty_answer_is_named_with_its_line(rows: list[dict[str, Any]], code: str, line: int) -> None:
    recording, problems = recorded(*rows)

    assert recording is None
    assert [(problem.code, problem.line) for problem in problems] == [(code, line)]


def test_two_answers_to_one_question_are_a_fault_unless_they_agree() -> None:
    asked = question("The deposit is named.")

    assert recorded(entry(asked), entry(asked) | {"output": "p"})[1] == []
    assert [problem.code for problem in recorded(entry(asked), entry(asked, "fail"))[1]] == ["RR245"]


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"kind": "recording", "origin": "model"}', b"\xff\xfe"])
def test_a_file_that_declares_no_authored_recording_is_refused(data: bytes) -> None:
    recording, problems = read_recording(data, path="r.jsonl")

    assert recording is None
    assert "RR242" in {problem.code for problem in problems}


def test_the_judge_is_the_one_that_was_named_else_the_recording_else_nobody() -> None:
    recording, _ = recorded()
    assert recording is not None

    assert resolve_judge("m", [recording], env={}).instrument()["model"] == "m"
    assert resolve_judge(None, [recording], env={"RECORDROOM_JUDGE_MODEL": "n"}).instrument()["model"] == "n"
    assert resolve_judge(None, [recording], env={"OPENAI_API_KEY": "k"}).instrument()["model"] == "recorded/authored"
    assert isinstance(resolve_judge(None, [], env={"OPENAI_API_KEY": "k"}), NoJudge)
    assert unused_keys(None, {"OPENAI_API_KEY": "k", "PATH": "p"}) == ("OPENAI_API_KEY",)
    assert unused_keys("m", {"OPENAI_API_KEY": "k"}) == ()


class Scripted:
    """Answers every question, except those whose evidence says that the endpoint is down."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def instrument(self) -> Mapping[str, Any]:
        return {"model": "scripted", "strategy": "one-shot", "votes": 1}

    def key_part(self, question: Question) -> Mapping[str, Any]:
        return {"model": "scripted"}

    async def decide(self, question: Question, key: str) -> Decision:
        text = question.evidence.sources[0].segments[0].text
        self.asked.append(text)
        await asyncio.sleep(0)
        if "down" in text:
            raise JudgeUnavailable("503")
        return Decision(key=key, finding=na("insufficient_evidence", text), origin="model")


class Memory:
    """A cache that counts its writes."""

    def __init__(self) -> None:
        self.kept: dict[str, Decision] = {}

    def get(self, keys: Iterable[str]) -> dict[str, Decision]:
        return {key: self.kept[key] for key in keys if key in self.kept}

    def put(self, decisions: Sequence[Decision]) -> None:
        self.kept |= {decision.key: decision for decision in decisions}


def keyed(judge: Scripted, *texts: str) -> dict[str, Question]:
    return {question_key(asked, judge): asked for asked in map(question, texts)}


def test_what_is_kept_is_not_asked_again_and_one_question_is_asked_once() -> None:
    judge, cache = Scripted(), Memory()
    first = judge_questions(keyed(judge, "a", "b"), judge, cache)
    second = judge_questions(keyed(judge, "b", "c", "a"), judge, cache)

    assert sorted(judge.asked) == ["a", "b", "c"]
    assert (len(first.kept), len(second.kept), len(second.decisions)) == (0, 2, 3)


def test_an_outage_loses_no_other_verdict_and_is_completed_by_a_second_run() -> None:
    judge, cache = Scripted(), Memory()
    asked = keyed(judge, "a", "down", "b")
    found = judge_questions(asked, judge, cache)

    assert (len(found.decisions), [str(outage) for outage in found.outages]) == (2, ["503"])
    assert len(cache.kept) == 2
    mended = {key: replace(item, evidence=question("up").evidence) for key, item in asked.items()}
    assert len(judge_questions(mended, judge, cache).decisions) == 3


def test_an_endpoint_that_is_down_is_not_asked_for_everything() -> None:
    judge = Scripted()
    found = judge_questions(keyed(judge, *(f"down {number}" for number in range(200))), judge, Memory())

    assert not found.decisions
    assert len(judge.asked) < 40


def test_progress_ends_at_the_total() -> None:
    judge, seen = Scripted(), []
    judge_questions(keyed(judge, "a", "b", "c"), judge, Memory(), progress=lambda done, total: seen.append((done, total)))

    assert seen == [(1, 3), (2, 3), (3, 3)]
