"""SPEC.md → Spec, with every problem of the file at once.

Headings come from markdown-it tokens, so a ``###`` inside a code block is no eval. Prose fields keep what was written; text
that has no meaning is an error, because nothing a person wrote may silently not count.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

from recordroom_pipeline.errors import Problem, raise_errors
from recordroom_pipeline.spec.eval_section import read_eval, without_comments
from recordroom_pipeline.spec.faults import Faults
from recordroom_pipeline.spec.frontmatter import assemble_spec, read_front_matter
from recordroom_pipeline.spec.model import Eval, Spec

MAX_BYTES = 1 << 20
_COMMENT = re.compile(r"<!--.*?-->")
_MARKDOWN = MarkdownIt("commonmark")


def read_spec(data: bytes, *, path: str = "SPEC.md", expected_name: str | None = None) -> Spec:
    """The spec that a SPEC.md says.

    Raises:
        ProblemsFound: carrying every error of the file.
    """
    spec, problems = check_spec(data, path=path, expected_name=expected_name)
    raise_errors(problems)
    assert spec is not None
    return spec


def check_spec(data: bytes, *, path: str = "SPEC.md", expected_name: str | None = None) -> tuple[Spec | None, list[Problem]]:
    """The spec, or None when it has errors, and all its problems."""
    faults = Faults(path)
    text = _decode(data, faults)
    if text is None:
        return None, faults.found
    lines = text.split("\n")
    front_end = _front_end(lines, faults)
    if front_end is None:
        return None, faults.found
    front, places = read_front_matter(lines, front_end, faults)
    evals, about = _body(lines, front_end + 1, faults)
    spec = assemble_spec(front, places, evals, about, faults, expected_name)
    return (None if faults.found else spec), faults.found


def _decode(data: bytes, faults: Faults) -> str | None:
    if len(data) > MAX_BYTES:
        faults.add(1, "RR102", f"the file has {len(data):,} bytes; at most {MAX_BYTES:,} are read", "split the spec")
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        faults.add(line, "RR101", f"byte {error.start} is not UTF-8", "save the file as UTF-8")
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _front_end(lines: list[str], faults: Faults) -> int | None:
    if lines[0].rstrip() != "---":
        faults.add(1, "RR103", "the file does not begin with frontmatter", "begin with a line `---`, then `name: org/name`, …")
        return None
    for index, line in enumerate(lines[1:], start=1):
        if line.rstrip() == "---":
            return index
    faults.add(1, "RR103", "the frontmatter is never closed", "end it with a line `---`")
    return None


def _body(lines: list[str], start: int, faults: Faults) -> tuple[list[Eval], str]:
    headings = _headings(lines, start)
    evals_at = next((index for index, level, title in headings if level == 2 and title == "Evals"), None)
    if evals_at is None:
        faults.add(start + 1, "RR120", "there is no `## Evals` section", "add a line `## Evals` and the evals below it")
        return [], ""
    about_at = next((index for index, level, _ in headings if level <= 2 and index > evals_at), len(lines))
    _refuse_text(lines, start, evals_at, faults, "before `## Evals`")
    starts = [(index, title) for index, level, title in headings if level == 3 and evals_at < index < about_at]
    bounds = [index for index, _ in starts] + [about_at]
    _refuse_text(lines, evals_at + 1, bounds[0], faults, "between `## Evals` and the first eval")
    evals: list[Eval] = []
    seen: dict[str, int] = {}
    for (index, title), end in zip(starts, bounds[1:], strict=True):
        eval_ = read_eval(lines, index, end, title, faults)
        if title in seen:
            faults.add(
                index + 1, "RR112", f"eval id '{title}' is used twice (first on line {seen[title]})", "give this eval a new id"
            )
        seen.setdefault(title, index + 1)
        if eval_ is not None:
            evals.append(eval_)
    if not starts:
        faults.add(evals_at + 1, "RR120", "`## Evals` holds no eval", "add `### eval-id`, its fields and one bold sentence")
    return evals, _about(lines, about_at)


def _about(lines: list[str], start: int) -> str:
    rest = lines[start:]
    if rest and _title(rest[0]).lower() == "about":
        rest = rest[1:]
    return "\n".join(rest).strip("\n")


def _headings(lines: list[str], start: int) -> list[tuple[int, int, str]]:
    """Top-level ATX headings of the body: (line index, level, title without comments)."""
    tokens = _MARKDOWN.parse("\n".join(lines[start:]))
    return [
        (token.map[0] + start, int(token.tag[1]), _title(lines[token.map[0] + start]))
        for token in tokens
        if token.type == "heading_open" and token.level == 0 and token.map and token.markup.startswith("#")
    ]


def _title(line: str) -> str:
    return _COMMENT.sub("", line).strip().strip("#").strip()


def _refuse_text(lines: list[str], start: int, end: int, faults: Faults, where: str) -> None:
    for index in without_comments(lines, start, end):
        if lines[index].strip():
            faults.add(index + 1, "RR110", f"text {where} has no meaning", "move it under `## About`, or into an HTML comment")
            return
