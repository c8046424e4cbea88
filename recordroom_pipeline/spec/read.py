"""SPEC.md → Spec, with every problem of the file at once.

Headings come from markdown-it tokens, so a ``###`` inside a code block is no eval. Prose fields keep what was written; text
that has no meaning is an error, because nothing a person wrote may silently not count.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from markdown_it import MarkdownIt

from recordroom_pipeline.errors import Problem, raise_errors
from recordroom_pipeline.spec.model import SEVERITIES, Eval, Example, Param, Severity, Spec, TaskGroup
from recordroom_pipeline.spec.strict_yaml import YamlFault, load_yaml
from recordroom_pipeline.spec.versions import is_version

MAX_BYTES = 1 << 20
FRONTMATTER_KEYS = ("name", "version", "description", "maintainers", "license", "forked_from", "tasks")
PROSE_FIELDS = ("reads", "fail-when", "na-when")
STRUCTURED_FIELDS = ("task", "severity", "derived_from", "check", "params", "examples")
FIELDS = PROSE_FIELDS + STRUCTURED_FIELDS
REQUIRED_FIELDS = ("task", "severity", "reads", "fail-when")
_KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*")
_FIELD_LINE = re.compile(r"(?P<key>[A-Za-z][A-Za-z0-9_-]*)[ \t]*:(?=[ \t]|$)(?P<value>.*)")
_COMMENT = re.compile(r"<!--.*?-->")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MARKDOWN = MarkdownIt("commonmark")


def is_kebab(text: str) -> bool:
    """Whether text is a kebab-case id.

    >>> is_kebab("tiv-sum"), is_kebab("TIV_sum")
    (True, False)
    """
    return _KEBAB.fullmatch(text) is not None


def near(word: str, known: tuple[str, ...]) -> str:
    """`` (did you mean 'x'?)`` for the nearest known word, or nothing."""
    found = difflib.get_close_matches(word.lower().replace("_", "-"), known, n=1, cutoff=0.7)
    return f" (did you mean '{found[0]}'?)" if found else ""


@dataclass(slots=True)
class _Faults:
    path: str
    found: list[Problem] = field(default_factory=list)

    def add(self, line: int, code: str, message: str, remedy: str, col: int = 1) -> None:
        self.found.append(Problem(path=self.path, line=line, col=col, code=code, message=message, remedy=remedy))


@dataclass(slots=True)
class _Field:
    key: str
    line: int
    lines: list[str]
    """Raw lines of the value; the first holds what follows the colon."""

    def prose(self) -> str:
        return " ".join(part for part in (line.strip() for line in self.lines) if part)


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
    faults = _Faults(path)
    text = _decode(data, faults)
    if text is None:
        return None, faults.found
    lines = text.split("\n")
    front_end = _front_end(lines, faults)
    if front_end is None:
        return None, faults.found
    front, places = _front_matter(lines, front_end, faults)
    evals, about = _body(lines, front_end + 1, faults)
    spec = _assemble(front, places, evals, about, faults, expected_name)
    return (None if faults.found else spec), faults.found


def _decode(data: bytes, faults: _Faults) -> str | None:
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


def _front_end(lines: list[str], faults: _Faults) -> int | None:
    if lines[0].rstrip() != "---":
        faults.add(1, "RR103", "the file does not begin with frontmatter", "begin with a line `---`, then `name: org/name`, …")
        return None
    for index, line in enumerate(lines[1:], start=1):
        if line.rstrip() == "---":
            return index
    faults.add(1, "RR103", "the frontmatter is never closed", "end it with a line `---`")
    return None


def _front_matter(lines: list[str], end: int, faults: _Faults) -> tuple[dict[str, Any], dict[str, tuple[int, int]]]:
    try:
        value, places = load_yaml("\n".join(lines[1:end]))
    except YamlFault as fault:
        faults.add(fault.line + 2, "RR104", f"frontmatter: {fault.message}", fault.remedy, fault.col + 1)
        return {}, {}
    if not isinstance(value, dict):
        faults.add(2, "RR104", "the frontmatter is not a list of `key: value` lines", "write `name: org/name` and so on")
        return {}, {}
    return value, places


def _body(lines: list[str], start: int, faults: _Faults) -> tuple[list[Eval], str]:
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
        eval_ = _eval(lines, index, end, title, faults)
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


def _refuse_text(lines: list[str], start: int, end: int, faults: _Faults, where: str) -> None:
    for index in _without_comments(lines, start, end):
        if lines[index].strip():
            faults.add(index + 1, "RR110", f"text {where} has no meaning", "move it under `## About`, or into an HTML comment")
            return


def _without_comments(lines: list[str], start: int, end: int) -> list[int]:
    """Indexes of lines that do not belong to a comment block standing on lines of its own."""
    kept: list[int] = []
    inside = False
    for index in range(start, end):
        line = lines[index].strip()
        if not inside and line.startswith("<!--"):
            inside = True
        if not inside:
            kept.append(index)
        elif line.endswith("-->"):
            inside = False
    return kept


def _eval(lines: list[str], start: int, end: int, title: str, faults: _Faults) -> Eval | None:
    before = len(faults.found)
    if not is_kebab(title):
        faults.add(
            start + 1, "RR111", f"'{title}' is no eval id", "write lower-case words joined by hyphens, such as `tiv-sum`"
        )
    fields, sentences = _fields(lines, start + 1, end, faults)
    if len(sentences) != 1:
        found = "no bold sentence" if not sentences else f"{len(sentences)} bold sentences (lines {_and(sentences)})"
        faults.add(start + 1, "RR113", f"eval '{title}' has {found}", "state the rule once, in one paragraph `**…**`")
    for key in REQUIRED_FIELDS:
        if key not in fields:
            faults.add(start + 1, "RR116", f"eval '{title}' has no `{key}`", f"add a line `{key}: …`")
    values = {key: _structured(entry, faults) for key, entry in fields.items() if key not in PROSE_FIELDS}
    eval_ = _EvalFields(title, start + 1, fields, values, faults).build(sentences)
    return eval_ if len(faults.found) == before else None


def _and(sentences: list[tuple[int, str]]) -> str:
    return ", ".join(str(line) for line, _ in sentences)


def _fields(lines: list[str], start: int, end: int, faults: _Faults) -> tuple[dict[str, _Field], list[tuple[int, str]]]:
    """The fields of one eval and its wholly bold paragraphs with their lines."""
    fields: dict[str, _Field] = {}
    sentences: list[tuple[int, str]] = []
    current: _Field | None = None
    indexes = _without_comments(lines, start, end)
    skip_until = start
    for index in indexes:
        line = lines[index]
        if index < skip_until:
            continue
        if not line.strip():
            current = None
        elif (bold := _bold(lines, index, end)) is not None:
            sentence, skip_until = bold
            sentences.append((index + 1, sentence))
            current = None
        elif (match := _FIELD_LINE.fullmatch(line)) and _is_key(match["key"]):
            current = _Field(match["key"], index + 1, [match["value"]])
            if match["key"] in fields:
                first = fields[match["key"]].line
                faults.add(index + 1, "RR115", f"`{match['key']}` stands twice (first on line {first})", "keep one of them")
            fields.setdefault(match["key"], current)
        elif current is not None and not _looks_like_unknown_key(line, current):
            current.lines.append(line)
        else:
            _unknown(line, index, faults)
    return fields, sentences


def _is_key(key: str) -> bool:
    return key in FIELDS or key.startswith("x-")


def _looks_like_unknown_key(line: str, current: _Field) -> bool:
    """An unindented ``word:`` line: after a structured field always a key; in prose only if it is near a known one."""
    match = _FIELD_LINE.fullmatch(line)
    if not match:
        return False
    return current.key not in PROSE_FIELDS or bool(near(match["key"], FIELDS))


def _unknown(line: str, index: int, faults: _Faults) -> None:
    match = _FIELD_LINE.fullmatch(line)
    if match:
        key = match["key"]
        faults.add(index + 1, "RR114", f"unknown field `{key}`{near(key, FIELDS)}", f"use one of {', '.join(FIELDS)}, or `x-…`")
    else:
        quoted = line.strip()[:40]
        faults.add(
            index + 1,
            "RR110",
            f"text that is no field and no bold sentence: '{quoted}'",
            "indent it under its field, or delete it",
        )


def _bold(lines: list[str], start: int, end: int) -> tuple[str, int] | None:
    """A paragraph that is wholly bold, beginning on this line: its text and the index after it."""
    if not lines[start].startswith("**"):
        return None
    stop = start
    while stop < end and lines[stop].strip():
        stop += 1
        text = " ".join(line.strip() for line in lines[start:stop])
        if len(text) > 4 and text.endswith("**") and "**" not in text[2:-2]:
            return text[2:-2].strip(), stop
    return None


def _structured(entry: _Field, faults: _Faults) -> Any:
    """The YAML value of a structured field; a fault is reported at its own line."""
    text = "\n".join([f"{entry.key}:{entry.lines[0]}", *entry.lines[1:]])
    try:
        value, _ = load_yaml(text, typed=entry.key == "params" or entry.key.startswith("x-"))
    except YamlFault as fault:
        faults.add(entry.line + fault.line, "RR104", f"`{entry.key}`: {fault.message}", fault.remedy, fault.col + 1)
        return None
    return value[entry.key]


@dataclass(slots=True)
class _EvalFields:
    id: str
    line: int
    fields: Mapping[str, _Field]
    values: Mapping[str, Any]
    faults: _Faults

    def bad(self, key: str, message: str, remedy: str, code: str = "RR117") -> None:
        self.faults.add(self.fields[key].line, code, message, remedy)

    def build(self, sentences: list[tuple[int, str]]) -> Eval:
        return Eval(
            id=self.id,
            task_group=self.text("task"),
            severity=self.severity(),
            sentence=sentences[0][1] if sentences else "",
            reads=self.reads(),
            fail_when=self.prose("fail-when") or "",
            na_when=self.prose("na-when"),
            derived_from=self.derived_from(),
            check=self.check(),
            params=self.params(),
            examples=self.examples(),
            extras={key: value for key, value in self.values.items() if key.startswith("x-")},
            line=self.line,
        )

    def text(self, key: str) -> str:
        value = self.values.get(key)
        if key in self.fields and not isinstance(value, str):
            self.bad(key, f"`{key}` is empty or no plain text", f"write `{key}: word`")
        return value if isinstance(value, str) else ""

    def prose(self, key: str) -> str | None:
        if key not in self.fields:
            return None
        text = self.fields[key].prose()
        if not text:
            self.bad(key, f"`{key}` is empty", f"write what it says, or remove `{key}`")
        return text

    def severity(self) -> Severity:
        value = self.text("severity")
        if value and value not in SEVERITIES:
            self.bad(
                "severity", f"severity '{value}' is unknown{near(value, SEVERITIES)}", f"write one of {', '.join(SEVERITIES)}"
            )
        return cast(Severity, value)

    def reads(self) -> tuple[str, ...]:
        text = self.prose("reads") or ""
        names = tuple(part.strip() for part in text.split(","))
        if text and not all(names):
            self.bad("reads", "`reads` has an empty name", "separate source names by single commas")
        return names

    def derived_from(self) -> tuple[str, ...]:
        value = self.values.get("derived_from")
        if value is None:
            return ()
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            self.bad("derived_from", "`derived_from` is no list of words", "write `derived_from: [source-a, source-b]`")
            return ()
        return tuple(items)

    def check(self) -> str | None:
        if "check" not in self.fields:
            return None
        match = re.fullmatch(r"computed\s+([A-Za-z0-9_]+)", self.text("check"))
        if match is None:
            self.bad(
                "check",
                "`check` does not name a computed check",
                "write `check: computed sum_equals`, or omit it for a judged eval",
            )
            return None
        return match[1]

    def params(self) -> tuple[Param, ...]:
        value = self.values.get("params")
        if "params" not in self.fields:
            return ()
        if "check" not in self.fields:
            self.bad("params", "`params` without `check`", "add `check: computed …`, or remove `params`", "RR118")
        if not isinstance(value, dict):
            self.bad("params", "`params` is no mapping", "write `params: {tolerance: {default: 1, unit: USD}}`")
            return ()
        return tuple(param for name, entry in value.items() if (param := self.param(name, entry)) is not None)

    def param(self, name: str, entry: Any) -> Param | None:
        if not isinstance(entry, dict) or "default" not in entry or set(entry) - {"default", "unit"}:
            self.bad("params", f"param '{name}' is not `{{default: …, unit: …}}`", f"write `{name}: {{default: 1, unit: USD}}`")
            return None
        return Param(name=name, default=entry["default"], unit=entry.get("unit"))

    def examples(self) -> tuple[Example, ...]:
        value = self.values.get("examples")
        if value is None:
            return ()
        if not isinstance(value, list):
            self.bad("examples", "`examples` is no list", "write one `- {output: …, verdict: …, reviewed_by: …, on: …}` a line")
            return ()
        return tuple(example for entry in value if (example := self.example(entry)) is not None)

    def example(self, entry: Any) -> Example | None:
        allowed = {"output", "verdict", "note", "reviewed_by", "on"}
        if not isinstance(entry, dict) or not all(isinstance(item, str) for item in entry.values()):
            self.bad(
                "examples", "an example is not `{key: text, …}`", "write `{output: …, verdict: fail, reviewed_by: …, on: …}`"
            )
            return None
        if unknown := sorted(set(entry) - allowed):
            self.bad("examples", f"unknown key '{unknown[0]}' in an example{near(unknown[0], tuple(allowed))}", "remove it")
        elif missing := sorted(allowed - {"note"} - set(entry)):
            self.bad("examples", f"an example lacks '{missing[0]}'", f"add `{missing[0]}: …`")
        elif entry["verdict"] not in ("pass", "fail", "na"):
            self.bad("examples", f"an example's verdict is '{entry['verdict']}'", "write pass, fail or na")
        elif not _DATE.fullmatch(entry["on"]):
            self.bad("examples", f"an example's `on` is '{entry['on']}'", "write a date, YYYY-MM-DD")
        else:
            return Example(**entry)
        return None


def _assemble(
    front: dict[str, Any],
    places: dict[str, tuple[int, int]],
    evals: list[Eval],
    about: str,
    faults: _Faults,
    expected_name: str | None,
) -> Spec | None:
    reader = _Front(front, places, faults)
    tasks = reader.tasks()
    spec = Spec(
        name=reader.name(expected_name),
        version=reader.version(),
        description=reader.text("description"),
        maintainers=reader.maintainers(),
        license=reader.text("license"),
        forked_from=reader.forked_from(),
        tasks=tasks,
        evals=tuple(evals),
        about=about,
        extras=reader.extras(),
    )
    known = tuple(task.id for task in tasks)
    for eval_ in evals:
        if "tasks" in front and eval_.task_group not in known:
            message = f"eval '{eval_.id}' names the task '{eval_.task_group}', which the frontmatter lacks"
            faults.add(
                eval_.line,
                "RR117",
                message + near(eval_.task_group, known),
                f"write one of {', '.join(known)}, or add it to `tasks`",
            )
    return spec


@dataclass(slots=True)
class _Front:
    values: Mapping[str, Any]
    places: Mapping[str, tuple[int, int]]
    faults: _Faults

    def __post_init__(self) -> None:
        if not self.values:
            return
        for key in self.values:
            if key not in FRONTMATTER_KEYS and not key.startswith("x-"):
                remedy = f"use one of {', '.join(FRONTMATTER_KEYS)}, or `x-…`"
                self.bad(key, f"unknown frontmatter key '{key}'{near(key, FRONTMATTER_KEYS)}", remedy, "RR105")
        for key in FRONTMATTER_KEYS:
            if key not in self.values and key != "forked_from":
                self.faults.add(1, "RR106", f"the frontmatter lacks `{key}`", f"add a line `{key}: …`")

    def bad(self, key: str, message: str, remedy: str, code: str = "RR107") -> None:
        line, col = self.places.get(key, (0, 0))
        self.faults.add(line + 2, code, message, remedy, col + 1)

    def text(self, key: str) -> str:
        value = self.values.get(key)
        if key in self.values and (not isinstance(value, str) or not value.strip()):
            self.bad(key, f"`{key}` is empty or no text", f"write `{key}: …`")
        return value if isinstance(value, str) else ""

    def name(self, expected: str | None) -> str:
        name = self.text("name")
        if name and not _NAME.fullmatch(name):
            self.bad("name", f"'{name}' is no spec name", "write `org/name` in lower case with hyphens")
        elif name and expected and name != expected:
            self.bad(
                "name",
                f"the name is '{name}' but the folder is '{expected}'",
                f"write `name: {expected}`, or move the folder",
                "RR119",
            )
        return name

    def version(self) -> str:
        version = self.text("version")
        if version and not is_version(version):
            self.bad(
                "version",
                f"'{version}' is no semantic version",
                "write three numbers, such as `0.1.0`, lower case, no `+build`",
            )
        return version

    def maintainers(self) -> tuple[str, ...]:
        value = self.values.get("maintainers")
        if "maintainers" in self.values and not (
            isinstance(value, list) and value and all(isinstance(item, str) for item in value)
        ):
            self.bad("maintainers", "`maintainers` is no list of names", "write `maintainers: [name]`")
            return ()
        return tuple(value or ())

    def forked_from(self) -> str | None:
        value = self.values.get("forked_from")
        if value is None:
            return None
        name, at, version = value.partition("@") if isinstance(value, str) else ("", "", "")
        if not (at and _NAME.fullmatch(name) and is_version(version)):
            self.bad("forked_from", f"'{value}' is no origin", "write `forked_from: org/name@0.1.0`, or null")
        return str(value)

    def tasks(self) -> tuple[TaskGroup, ...]:
        value = self.values.get("tasks")
        if value is None:
            return ()
        groups: list[TaskGroup] = []
        for entry in value if isinstance(value, list) else [value]:
            if (
                not isinstance(entry, dict)
                or set(entry) != {"id", "name"}
                or not all(isinstance(v, str) for v in entry.values())
            ):
                self.bad(
                    "tasks",
                    "an entry of `tasks` is not `{id: …, name: …}`",
                    "write `- {id: schedule, name: Building schedule}`",
                )
            elif not is_kebab(entry["id"]):
                self.bad("tasks", f"task id '{entry['id']}' is not kebab-case", "write lower-case words joined by hyphens")
            elif entry["id"] in {group.id for group in groups}:
                self.bad("tasks", f"task id '{entry['id']}' stands twice", "keep one of them")
            else:
                groups.append(TaskGroup(id=entry["id"], name=entry["name"]))
        return tuple(groups)

    def extras(self) -> dict[str, Any]:
        return {key: value for key, value in self.values.items() if key.startswith("x-")}
