"""The litellm judge against a real local server: forms, repairs, outages, and what must never leave."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from endpoint import Answer, serve

from recordroom_pipeline.canonical import sha256_hex
from recordroom_pipeline.errors import JudgeUnavailable
from recordroom_pipeline.evidence.model import Evidence, Segment, Source
from recordroom_pipeline.judges.litellm import LitellmJudge
from recordroom_pipeline.judging.decision import Decision
from recordroom_pipeline.judging.question import Question
from recordroom_pipeline.spec.model import Eval

SPAN = "The annual rent is USD 120,000."
EVAL = Eval(
    id="rent-stated",
    task_group="t",
    severity="major",
    sentence="The rent is stated.",
    reads=("output",),
    fail_when="It is not.",
)
SEGMENT = Segment(
    segment_id="s1",
    ordinal=0,
    view="source",
    kind="message",
    locator="output#final:L1",
    text=SPAN,
    char_start=0,
    char_end=len(SPAN),
)
SOURCE = Source(name="output", kind="output", content_sha256=sha256_hex(SPAN.encode()), segments=(SEGMENT,))
QUESTION = Question(
    task="T", output="secret-output-id", eval=EVAL, params={}, evidence=Evidence(sources=(SOURCE,)), evidence_sha256="sha256:e"
)


def said(answer: str = "pass", span: str = SPAN, **more: Any) -> str:
    return json.dumps({"why": "It says so.", "citations": [{"from": "output", "span": span}], "answer": answer, **more})


def decide(url: str, question: Question = QUESTION) -> Decision:
    judge = LitellmJudge("openai/scripted", api_base=url, first_delay_s=0)
    return asyncio.run(judge.decide(question, "sha256:k"))


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key")


@pytest.mark.filterwarnings("ignore")
class TestLitellmJudge:
    def test_a_cited_answer_is_taken_and_its_cost_counted(self) -> None:
        with serve(lambda body, number: (200, said())) as endpoint:
            decision = decide(endpoint.url)

        assert (decision.finding.verdict, decision.origin) == ("pass", "model")
        assert decision.finding.citations[0].at is not None
        assert (decision.usage.calls, decision.usage.tokens_in, decision.usage.tokens_out) == (1, 100, 20)
        assert "secret-output-id" not in json.dumps(endpoint.requests)

    def test_a_quote_that_does_not_stand_there_is_repaired_once(self) -> None:
        answers = [said(span="The annual rent is USD 90,000."), said()]
        with serve(lambda body, number: (200, answers[number])) as endpoint:
            decision = decide(endpoint.url)

        assert decision.finding.verdict == "pass"
        assert decision.usage.calls == 2
        assert "cannot be taken" in endpoint.requests[1]["messages"][-1]["content"]

    @pytest.mark.parametrize(
        "bad",
        ["", "pass", "[]", "{}", said("maybe"), said("not_applicable"), said(span="x y"), said(extra=1), "<html>502</html>"],
    )
    def test_what_cannot_be_taken_twice_is_not_judgeable_and_never_a_pass(self, bad: str) -> None:
        with serve(lambda body, number: (200, bad)) as endpoint:
            decision = decide(endpoint.url)

        assert (decision.finding.verdict, decision.finding.na_reason) == ("na", "not_judgeable")
        assert len(endpoint.requests) == 2
        assert decision.judge_said is not None

    def test_an_endpoint_that_refuses_schemas_is_asked_in_a_looser_form(self) -> None:
        def answer(body: dict[str, Any], number: int) -> Answer:
            form = body.get("response_format", {}).get("type")
            return (400, "response_format json_schema is unknown") if form == "json_schema" else (200, said())

        with serve(answer) as endpoint:
            decision = decide(endpoint.url)

        assert decision.finding.verdict == "pass"
        assert [request.get("response_format", {}).get("type") for request in endpoint.requests] == [
            "json_schema",
            "json_object",
        ]

    def test_a_passing_outage_is_retried(self) -> None:
        with serve(lambda body, number: (503, "busy") if number < 2 else (200, said())) as endpoint:
            assert decide(endpoint.url).finding.verdict == "pass"

    def test_a_lasting_outage_is_an_error_and_never_a_verdict(self) -> None:
        busy = serve(lambda body, number: (503, "busy, key sk-very-secret-key"))
        with busy as endpoint, pytest.raises(JudgeUnavailable, match="does not answer") as caught:
            decide(endpoint.url)

        assert "sk-very-secret-key" not in str(caught.value)

    def test_a_dead_endpoint_is_an_error(self) -> None:
        with serve(lambda body, number: (200, said())) as endpoint:
            url = endpoint.url
        with pytest.raises(JudgeUnavailable, match="openai/scripted does not answer"):
            decide(url)

    def test_evidence_larger_than_any_window_is_not_sent(self) -> None:
        large = replace(SOURCE, segments=(replace(SEGMENT, text="x" * 500_000),))
        with serve(lambda body, number: (200, said())) as endpoint:
            decision = decide(endpoint.url, replace(QUESTION, evidence=Evidence(sources=(large,))))

        assert decision.finding.na_reason == "not_judgeable"
        assert endpoint.requests == []
