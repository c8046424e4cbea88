"""changes.yaml beside SPEC.md: one entry a version from the second on, with its reason and its adoption ("Versioning")."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recordroom_pipeline.errors import Problem, RecordRoomError
from recordroom_pipeline.spec.strict_yaml import YamlFault, load_yaml

KEYS = ("version", "from", "on", "by", "reason", "evals", "adopted")
_ENTRY = re.compile(r"-[ \t]+version[ \t]*:[ \t]*[\"']?(?P<version>[^\s\"'#]+)")
_OPEN = re.compile(r"(?P<indent>[ \t]+)adopted[ \t]*:[ \t]*(null|~)?[ \t]*(#.*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """Who took a version on, when and why; ``diff`` is the file that shows what it flips, None where none is needed."""

    on: str
    by: str
    reason: str
    diff: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeEntry:
    """One entry."""

    version: str
    base: str
    on: str
    by: str
    reason: str
    evals: Mapping[str, str]
    adopted: Adoption | None


def read_changes(data: bytes, *, path: str) -> tuple[list[ChangeEntry], list[Problem]]:
    """The entries that can be read, and every problem of the others."""
    try:
        value, _ = load_yaml("entries:\n" + data.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        return [], [Problem(path=path, code="RR140", message="the file is not UTF-8", remedy="save it as UTF-8")]
    except YamlFault as fault:
        line = max(fault.line, 1)
        return [], [Problem(path=path, line=line, col=fault.col + 1, code="RR140", message=fault.message, remedy=fault.remedy)]
    rows = value["entries"] or []
    lines = entry_lines(data.decode("utf-8-sig"))
    entries, problems = [], []
    for index, row in enumerate(rows if isinstance(rows, list) else [rows]):
        fault_text = _fault(row)
        if fault_text is None:
            entries.append(_entry(row))
        else:
            line = lines[index][0] + 1 if index < len(lines) else 1
            remedy = f"give each entry {', '.join(KEYS)}"
            problems.append(Problem(path=path, line=line, code="RR141", message=fault_text, remedy=remedy))
    return entries, problems


def _fault(row: Any) -> str | None:
    if not isinstance(row, dict):
        return "an entry is no mapping"
    if unknown := [key for key in row if key not in KEYS]:
        return f"unknown key '{unknown[0]}' in an entry"
    if missing := [key for key in KEYS if key not in row]:
        return f"an entry lacks `{missing[0]}`"
    if not all(isinstance(row[key], str) and row[key].strip() for key in ("version", "from", "on", "by", "reason")):
        return "`version`, `from`, `on`, `by` and `reason` must be texts"
    adopted = row["adopted"]
    if adopted is not None and (not isinstance(adopted, dict) or set(adopted) != {"on", "by", "reason", "diff"}):
        return "`adopted` is neither null nor {on, by, reason, diff}"
    return None if isinstance(row["evals"], (dict, type(None))) else "`evals` is no mapping"


def _entry(row: Mapping[str, Any]) -> ChangeEntry:
    return ChangeEntry(
        version=row["version"],
        base=row["from"],
        on=row["on"],
        by=row["by"],
        reason=row["reason"],
        evals=row["evals"] or {},
        adopted=Adoption(**row["adopted"]) if row["adopted"] else None,
    )


def entry_lines(text: str) -> list[tuple[int, str]]:
    """Line index and version of each entry."""
    found = ((index, _ENTRY.match(line)) for index, line in enumerate(text.split("\n")))
    return [(index, match["version"]) for index, match in found if match]


def record_adoption(data: bytes, entry: ChangeEntry) -> bytes:
    """The same file with the entry's adoption filled in; the entry is added at the end where the author wrote none.

    Raises:
        RecordRoomError: where the entry stands there, but not so that its adoption can be filled in.
    """
    assert entry.adopted is not None
    lines = re.findall(r"[^\n]*\n|[^\n]+\Z", data.decode("utf-8"))
    places = entry_lines("".join(lines))
    place = next((number for number, (_, version) in enumerate(places) if version == entry.version), None)
    if place is None:
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += "\n"
        return ("".join(lines) + _entry_text(entry)).encode()
    start = places[place][0]
    stop = places[place + 1][0] if place + 1 < len(places) else len(lines)
    for index in range(start, stop):
        match = _OPEN.fullmatch(lines[index].rstrip("\r\n"))
        if match:
            ending = lines[index][len(lines[index].rstrip("\r\n")) :]
            lines[index] = f"{match['indent']}adopted: {_adopted_text(entry.adopted)}{ending}"
            return "".join(lines).encode()
    raise RecordRoomError(f"changes.yaml: the entry of {entry.version} has no line `adopted: null` to fill in; write one")


def _entry_text(entry: ChangeEntry) -> str:
    assert entry.adopted is not None
    evals = ", ".join(f"{eval_id}: {change}" for eval_id, change in entry.evals.items())
    return (
        f"- version: {entry.version}\n"
        f"  from: {entry.base}\n"
        f"  on: {entry.on}\n"
        f"  by: {json.dumps(entry.by, ensure_ascii=False)}\n"
        f"  reason: {json.dumps(entry.reason, ensure_ascii=False)}\n"
        f"  evals: {{{evals}}}\n"
        f"  adopted: {_adopted_text(entry.adopted)}\n"
    )


def _adopted_text(adopted: Adoption) -> str:
    by, reason = (json.dumps(text, ensure_ascii=False) for text in (adopted.by, adopted.reason))
    return f"{{on: {adopted.on}, by: {by}, reason: {reason}, diff: {adopted.diff or 'null'}}}"


def chain_problems(entries: Sequence[ChangeEntry], versions: Sequence[str], *, path: str) -> list[Problem]:
    """A warning for each known version after the first that gives no reason."""
    known = {entry.version for entry in entries}
    return [
        Problem(
            path=path,
            level="warning",
            code="RR142",
            message=f"version {version} gives no reason",
            remedy=f"add an entry `- version: {version}` with from, on, by, reason, evals and adopted",
        )
        for version in versions[1:]
        if version not in known
    ]
