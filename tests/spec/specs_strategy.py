"""Specs as hypothesis makes them: every field, and texts with everything that YAML or Markdown could take for its own."""

from __future__ import annotations

from hypothesis import strategies as st

from recordroom_pipeline.spec.model import Eval, Example, Param, Spec, TaskGroup

_WORD = st.text(alphabet=st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8)
_TRICKY = st.sampled_from(
    [
        '"no"',
        "#",
        "a:",
        "task:",
        "reads:",
        "[x]",
        "{y}",
        "- z",
        "*",
        "'",
        "\\",
        "no",
        "1.0",
        "<!--",
        "-->",
        "---",
        "&a",
        "!b",
        "%",
        "@",
        "é",
        "行",
        "|",
    ]
)


def prose(avoid: str = "") -> st.SearchStrategy[str]:
    """Words with single blanks between them, as reading keeps them."""
    words = st.lists(_WORD | _TRICKY, min_size=1, max_size=6).map(" ".join)
    return words.filter(lambda text: not any(char in text for char in avoid) and "**" not in text)


KEBAB = st.from_regex(r"[a-z][a-z0-9]{0,5}(-[a-z0-9]{1,4}){0,2}", fullmatch=True)
DATES = st.dates().map(lambda day: day.isoformat())
VALUES = st.recursive(
    st.booleans() | st.integers(-(10**9), 10**9) | prose() | st.integers(-99999, 99999).map(lambda number: number / 100),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEBAB, inner, max_size=2),
    max_leaves=3,
)
EXAMPLES = st.builds(
    Example,
    output=prose(),
    verdict=st.sampled_from(["pass", "fail", "na"]),
    reviewed_by=prose(),
    on=DATES,
    note=st.none() | prose() | st.text(max_size=12),
)


@st.composite
def evals(draw: st.DrawFn, eval_id: str) -> Eval:
    """One eval with any of its fields."""
    check = draw(st.none() | st.just("sum_equals"))
    names = draw(st.lists(KEBAB, max_size=2, unique=True)) if check else []
    return Eval(
        id=eval_id,
        task_group="t",
        severity=draw(st.sampled_from(["blocking", "major", "minor"])),
        sentence=draw(prose("*")),
        reads=tuple(draw(st.lists(prose(","), min_size=1, max_size=3))),
        fail_when=draw(prose()),
        na_when=draw(st.none() | prose()),
        derived_from=tuple(draw(st.lists(prose(), max_size=2))),
        check=check,
        params=tuple(Param(name=name, default=draw(VALUES), unit=draw(st.none() | prose())) for name in names),
        examples=tuple(draw(st.lists(EXAMPLES, max_size=2))),
        line=0,
    )


@st.composite
def specs(draw: st.DrawFn) -> Spec:
    """One spec of one to three evals."""
    ids = draw(st.lists(KEBAB, min_size=1, max_size=3, unique=True))
    return Spec(
        name="acme/leases",
        version="0.1.0",
        description=draw(prose()),
        maintainers=tuple(draw(st.lists(prose(), min_size=1, max_size=2))),
        license="MIT",
        tasks=(TaskGroup(id="t", name=draw(prose())),),
        evals=tuple(draw(evals(eval_id)) for eval_id in ids),
        about=draw(st.sampled_from(["", "Prose.\n\n### Not an eval\n\n- item"])),
    )
