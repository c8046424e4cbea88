"""One eval of SPEC.md: its fields, its one bold sentence, and what each field may hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from recordroom_pipeline.spec.faults import Faults, near
from recordroom_pipeline.spec.model import SEVERITIES, Eval, Example, Param, Severity
from recordroom_pipeline.spec.strict_yaml import YamlFault, load_yaml

PROSE_FIELDS = ("reads", "fail-when", "na-when")
STRUCTURED_FIELDS = ("task", "severity", "derived_from", "check", "params", "examples")
FIELDS = PROSE_FIELDS + STRUCTURED_FIELDS
REQUIRED_FIELDS = ("task", "severity", "reads", "fail-when")
_KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FIELD_LINE = re.compile(r"(?P<key>[A-Za-z][A-Za-z0-9_-]*)[ \t]*:(?=[ \t]|$)(?P<value>.*)")
_UNREADABLE = object()
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def is_kebab(text: str) -> bool:
    """Whether text is a kebab-case id.

    >>> is_kebab("tiv-sum"), is_kebab("TIV_sum")
    (True, False)
    """
    return _KEBAB.fullmatch(text) is not None


@dataclass(slots=True)
class _Field:
    key: str
    line: int
    lines: list[str]
    """Raw lines of the value; the first holds what follows the colon."""

    def prose(self) -> str:
        return " ".join(part for part in (line.strip() for line in self.lines) if part)


def without_comments(lines: list[str], start: int, end: int) -> list[int]:
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


def read_eval(lines: list[str], start: int, end: int, title: str, faults: Faults) -> Eval | None:
    """The eval whose heading stands on line index ``start``, up to ``end``; None where it has faults."""
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
    structured = {key: entry for key, entry in fields.items() if key not in PROSE_FIELDS}
    # What cannot be read as YAML is reported once, and not again for having no value.
    values = {key: value for key, entry in structured.items() if (value := _structured(entry, faults)) is not _UNREADABLE}
    eval_ = EvalFields(title, start + 1, fields, values, faults).build(sentences)
    return eval_ if len(faults.found) == before else None


def _and(sentences: list[tuple[int, str]]) -> str:
    return ", ".join(str(line) for line, _ in sentences)


def _fields(lines: list[str], start: int, end: int, faults: Faults) -> tuple[dict[str, _Field], list[tuple[int, str]]]:
    """The fields of one eval and its wholly bold paragraphs with their lines."""
    fields: dict[str, _Field] = {}
    sentences: list[tuple[int, str]] = []
    current: _Field | None = None
    indexes = without_comments(lines, start, end)
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


def _unknown(line: str, index: int, faults: Faults) -> None:
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


def _structured(entry: _Field, faults: Faults) -> Any:
    """The YAML value of a structured field; a fault is reported at its own line."""
    text = "\n".join([f"{entry.key}:{entry.lines[0]}", *entry.lines[1:]])
    try:
        value, _ = load_yaml(text, typed=entry.key == "params" or entry.key.startswith("x-"))
    except YamlFault as fault:
        faults.add(entry.line + fault.line, "RR104", f"`{entry.key}`: {fault.message}", fault.remedy, fault.col + 1)
        return _UNREADABLE
    return value[entry.key]


@dataclass(slots=True)
class EvalFields:
    id: str
    line: int
    fields: Mapping[str, _Field]
    values: Mapping[str, Any]
    faults: Faults

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
        if key in self.values and not isinstance(value, str):
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
        if "check" not in self.values:
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
        if "params" not in self.values:
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
