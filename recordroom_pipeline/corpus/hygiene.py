"""What must never reach a judge or an agent under test, checked rather than hoped for ("Corpus hygiene")."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recordroom_pipeline.corpus.model import Corpus, Output
from recordroom_pipeline.errors import Problem
from recordroom_pipeline.spec.model import Spec

_SPACE = re.compile(r"\s+")


def contaminated_outputs(spec: Spec, corpus: Corpus, *, root: str = "corpus") -> list[Problem]:
    """A warning for each output whose turns hold a sentence of the spec: that agent had seen what it is held to."""
    sentences = {eval_.id: _plain(eval_.sentence) for eval_ in spec.evals}
    problems = []
    for output in corpus.outputs:
        text = _plain(" ".join(_texts(output)))
        for eval_id, sentence in sentences.items():
            if sentence and sentence in text:
                message = f"the turns hold the sentence of eval '{eval_id}': the agent had seen the spec"
                remedy = "capture the output again without the spec, or remove it"
                path = f"{root}/outputs/{output.id}.json"
                problems.append(Problem(path=path, level="warning", code="RR230", message=message, remedy=remedy))
    return problems


def _texts(output: Output) -> Iterator[str]:
    for turn in output.turns:
        yield from (text for text in (turn.content, turn.result) if text)


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip().casefold()
