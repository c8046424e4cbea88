"""Corpus files → tasks and outputs, with every problem of every file at once ("Corpus")."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from recordroom_pipeline.canonical import canonical_json, sha256_hex
from recordroom_pipeline.corpus.model import AGENT_KINDS, Agent, Corpus, Material, Output, Task, Tool, Turn
from recordroom_pipeline.corpus.names import ALIASES, RESERVED, fold
from recordroom_pipeline.corpus.strict_json import JsonFault, load_json, place_of
from recordroom_pipeline.errors import Level, Problem
from recordroom_pipeline.spec.faults import near
from recordroom_pipeline.spec.strict_yaml import YamlFault, load_yaml

_ID = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    """What is known of a material without opening it."""

    sha256: str
    size: int


@dataclass(slots=True)
class _Doc:
    """One JSON document under inspection: its fields, and the faults found in it."""

    path: str
    data: bytes
    value: Any = None
    problems: list[Problem] = field(default_factory=list)

    def bad(self, at: tuple[str | int, ...], code: str, message: str, remedy: str, level: Level = "error") -> None:
        line, col = place_of(self.data, at)
        self.problems.append(
            Problem(path=self.path, line=line, col=col, level=level, code=code, message=message, remedy=remedy)
        )

    def load(self) -> bool:
        try:
            self.value = load_json(self.data)
        except JsonFault as fault:
            self.problems.append(
                Problem(
                    path=self.path, line=fault.line, col=fault.col, code="RR201", message=fault.message, remedy=fault.remedy
                )
            )
            return False
        if not isinstance(self.value, dict):
            self.bad((), "RR202", "the file holds no JSON object", 'write `{"id": …}`')
            return False
        return True

    def text(self, key: str, *, where: tuple[str | int, ...] = (), of: Mapping[str, Any] | None = None) -> str:
        value = (self.value if of is None else of).get(key)
        if isinstance(value, str) and value.strip():
            return value
        if value is None:
            self.bad(where, "RR203", f"`{key}` is missing", f'add `"{key}": "…"`')
        else:
            self.bad((*where, key), "RR204", f"`{key}` is empty or no text", f'write `"{key}": "…"`')
        return ""

    def known(self, keys: tuple[str, ...], *, where: tuple[str | int, ...] = (), of: Mapping[str, Any] | None = None) -> None:
        for key in self.value if of is None else of:
            if key not in keys and not key.startswith("x-"):
                remedy = f"use one of {', '.join(keys)}, or begin it with `x-`"
                self.bad((*where, key), "RR205", f"unknown key '{key}'{near(key, keys)} is ignored", remedy, "warning")

    @property
    def ok(self) -> bool:
        return not any(problem.level == "error" for problem in self.problems)


def read_task(data: bytes, *, path: str, folder: str, files: Mapping[str, FileFacts]) -> tuple[Task | None, list[Problem]]:
    """One task.json; ``files`` are the other files of its folder by relative POSIX path. None when it has errors."""
    doc = _Doc(path, data)
    if not doc.load():
        return None, doc.problems
    doc.known(("id", "title", "instruction", "materials", "tools"))
    task_id = _id(doc, folder, "the folder's name")
    task = Task(
        id=task_id,
        title=doc.text("title"),
        instruction=doc.text("instruction"),
        materials=_materials(doc, files),
        tools=_tools(doc),
    )
    return (task if doc.ok else None), doc.problems


def _id(doc: _Doc, expected: str, what: str) -> str:
    found = doc.text("id")
    if found and not _ID.fullmatch(found):
        doc.bad(("id",), "RR206", f"'{found}' is no id", "use letters, digits, `.`, `_` and `-`, not at the ends")
    elif found and found != expected:
        doc.bad(("id",), "RR207", f"the id is '{found}' but {what} is '{expected}'", f'write `"id": "{expected}"`, or rename')
    return found


def _materials(doc: _Doc, files: Mapping[str, FileFacts]) -> tuple[Material, ...]:
    entries = doc.value.get("materials", [])
    if not isinstance(entries, list):
        doc.bad(("materials",), "RR204", "`materials` is no list", 'write `"materials": ["schedule.csv"]`')
        return ()
    found: list[Material] = []
    for index, entry in enumerate(entries):
        material = _material(doc, ("materials", index), entry, files)
        if material is None:
            continue
        twin = next((other for other in found if fold(other.name) == fold(material.name)), None)
        if twin is not None:
            message = f"'{material.file}' and '{twin.file}' are both called '{material.name}'"
            doc.bad(("materials", index), "RR210", message, 'give one another name: `{"file": …, "as": …}`')
        found.append(material)
    return tuple(found)


def _material(doc: _Doc, at: tuple[str | int, ...], entry: Any, files: Mapping[str, FileFacts]) -> Material | None:
    given = {"file": entry} if isinstance(entry, str) else entry
    if not isinstance(given, dict) or not isinstance(given.get("file"), str):
        doc.bad(
            at, "RR204", "a material is no file name", 'write `"schedule.csv"` or `{"file": "schedule.csv", "as": "schedule"}`'
        )
        return None
    doc.known(("file", "as", "encoding"), where=at, of=given)
    file = PurePosixPath(given["file"])
    if file.is_absolute() or ".." in file.parts or "\\" in given["file"]:
        doc.bad(at, "RR208", f"'{given['file']}' leaves the task's folder", "put the file into the folder and name it alone")
        return None
    facts = files.get(str(file))
    if facts is None:
        hint = near(str(file), tuple(files))
        doc.bad(at, "RR209", f"the material '{file}' does not exist{hint}", f"add it beside {PurePosixPath(doc.path).name}")
        return None
    name = given.get("as") or file.stem
    if not fold(name) or (fold(name) in RESERVED or fold(name) in ALIASES):
        doc.bad(at, "RR211", f"a material may not be called '{name}', which names a part of the session", 'add `"as": "…"`')
    return Material(file=str(file), name=name, sha256=facts.sha256, size=facts.size, encoding=given.get("encoding"))


def _tools(doc: _Doc) -> tuple[Tool, ...]:
    entries = doc.value.get("tools", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        doc.bad(
            ("tools",),
            "RR204",
            "`tools` is no list of objects",
            'write `"tools": [{"name": …, "description": …, "returns": …}]`',
        )
        return ()
    tools = []
    for index, entry in enumerate(entries):
        doc.known(("name", "description", "returns"), where=("tools", index), of=entry)
        name = doc.text("name", where=("tools", index), of=entry)
        tools.append(Tool(name=name, description=str(entry.get("description", "")), returns=str(entry.get("returns", ""))))
    return tuple(tools)


def read_output(data: bytes, *, path: str, stem: str, tasks: Mapping[str, Task]) -> tuple[Output | None, list[Problem]]:
    """One output file. None when it has errors."""
    doc = _Doc(path, data)
    if not doc.load():
        return None, doc.problems
    doc.known(("id", "task", "agent", "turns", "final"))
    output_id = _id(doc, stem, "the file's name")
    task_id = doc.text("task")
    if task_id and task_id not in tasks:
        known = tuple(tasks)
        remedy = f"write one of {', '.join(known[:8])}" if known else "add the task under corpus/tasks"
        doc.bad(("task",), "RR212", f"there is no task '{task_id}'{near(task_id, known)}", remedy)
    agent = _agent(doc)
    turns = _turns(doc)
    final = _final(doc, turns)
    if task_id in tasks:
        _check_tools(doc, turns, tasks[task_id])
    if not doc.ok or agent is None:
        return None, doc.problems
    digest = sha256_hex(canonical_json(doc.value))
    return Output(id=output_id, task=task_id, agent=agent, turns=turns, final=final, sha256=digest), doc.problems


def _agent(doc: _Doc) -> Agent | None:
    value = doc.value.get("agent")
    if not isinstance(value, dict):
        doc.bad(("agent",), "RR203", "`agent` is missing or no object", 'write `"agent": {"id": …, "kind": "captured"}`')
        return None
    doc.known(("id", "name", "kind", "model"), where=("agent",), of=value)
    agent_id, kind = doc.text("id", where=("agent",), of=value), doc.text("kind", where=("agent",), of=value)
    if kind in AGENT_KINDS:
        return Agent(id=agent_id, kind=kind, name=value.get("name"), model=value.get("model"))
    if kind:
        doc.bad(
            ("agent", "kind"),
            "RR213",
            f"agent.kind is '{kind}'",
            "write captured (real work) or generated (made for the corpus)",
        )
    return None


def _turns(doc: _Doc) -> tuple[Turn, ...]:
    entries = doc.value.get("turns")
    if not isinstance(entries, list):
        doc.bad(("turns",), "RR203", "`turns` is missing or no list", 'write `"turns": [{"role": "user", "content": …}, …]`')
        return ()
    found = (_turn(doc, ("turns", index), entry) for index, entry in enumerate(entries))
    return tuple(turn for turn in found if turn is not None)


def _turn(doc: _Doc, at: tuple[str | int, ...], entry: Any) -> Turn | None:
    number = int(at[1]) + 1
    if not isinstance(entry, dict):
        doc.bad(at, "RR214", f"turn {number} is no object", 'write `{"role": "user", "content": …}`')
        return None
    doc.known(("role", "content", "tool", "args", "result"), where=at, of=entry)
    role = entry.get("role")
    if role != "user" and role != "agent":
        doc.bad((*at, "role"), "RR214", f"turn {number} has the role {json.dumps(role)}", "write user or agent")
        return None
    if ("content" in entry) == ("tool" in entry):
        both = "both a message and a tool call" if "tool" in entry else "neither a message nor a tool call"
        doc.bad(at, "RR215", f"turn {number} is {both}", "give `content`, or `tool` with `args` and `result`; never both")
        return None
    return _message(doc, at, entry, role) if "content" in entry else _call(doc, at, entry, role)


def _message(doc: _Doc, at: tuple[str | int, ...], entry: Mapping[str, Any], role: Any) -> Turn | None:
    if not isinstance(entry["content"], str):
        doc.bad((*at, "content"), "RR214", f"turn {int(at[1]) + 1}: `content` is no text", "write the message as text")
        return None
    for key in ("args", "result"):
        if key in entry:
            doc.bad(
                (*at, key),
                "RR215",
                f"turn {int(at[1]) + 1}: a message has no `{key}`",
                "make it a turn of its own, with `tool`",
            )
    return Turn(role=role, content=entry["content"])


def _call(doc: _Doc, at: tuple[str | int, ...], entry: Mapping[str, Any], role: str) -> Turn | None:
    number, args, result = int(at[1]) + 1, entry.get("args", {}), entry.get("result")
    if role != "agent":
        doc.bad((*at, "role"), "RR214", f"turn {number}: a tool call has the role user", "write agent")
    if not isinstance(entry["tool"], str) or not entry["tool"]:
        doc.bad((*at, "tool"), "RR214", f"turn {number}: `tool` is no name", "write the tool's name")
        return None
    if not isinstance(args, dict):
        doc.bad((*at, "args"), "RR214", f"turn {number}: `args` is no object", "write `{}` where there are none")
        return None
    if result is not None and not isinstance(result, str):
        result = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    return Turn(role="agent", tool=entry["tool"], args=args, result=result)


def _final(doc: _Doc, turns: tuple[Turn, ...]) -> str:
    final = doc.value.get("final")
    if not isinstance(final, str):
        doc.bad(
            ("final",),
            "RR203",
            "`final` is missing or no text",
            "write the last agent message, or an empty text if there is none",
        )
        return ""
    messages = [turn.content for turn in turns if turn.role == "agent" and turn.content is not None]
    last = messages[-1] if messages else ""
    if doc.ok and final != last:
        doc.bad(("final",), "RR216", "`final` is not the last agent message", "copy the last turn with role agent and content")
    return final


def _check_tools(doc: _Doc, turns: tuple[Turn, ...], task: Task) -> None:
    known = tuple(tool.name for tool in task.tools)
    for index, turn in enumerate(turns):
        if known and turn.tool is not None and turn.tool not in known:
            message = f"turn {index + 1} calls '{turn.tool}', which task '{task.id}' does not declare{near(turn.tool, known)}"
            doc.bad(
                ("turns", index), "RR217", message, f"declare it under `tools`, or use one of {', '.join(known)}", "warning"
            )


def read_declaration(data: bytes | None, *, path: str) -> tuple[bool | None, str, list[Problem]]:
    """What corpus/README.md declares: whether the material is synthesized, and its provenance."""
    if data is None:
        message = "the corpus does not say whether it is synthesized"
        remedy = "add corpus/README.md with frontmatter `synthesized: true|false` and `provenance: …`"
        return None, "", [Problem(path=path, level="warning", code="RR220", message=message, remedy=remedy)]
    text = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    front = re.match(r"---\n(.*?)\n---(\n|$)", text, re.DOTALL)
    try:
        values = load_yaml(front[1], typed=True)[0] if front else None
    except YamlFault as fault:
        problem = Problem(
            path=path, line=fault.line + 2, col=fault.col + 1, code="RR221", message=fault.message, remedy=fault.remedy
        )
        return None, "", [problem]
    if not isinstance(values, dict) or not isinstance(values.get("synthesized"), bool):
        message, remedy = "the frontmatter does not say `synthesized: true` or `synthesized: false`", "add that line"
        return None, "", [Problem(path=path, level="warning", code="RR220", message=message, remedy=remedy)]
    return values["synthesized"], str(values.get("provenance", "")), []


def read_corpus(
    documents: Mapping[str, bytes], materials: Mapping[str, FileFacts], *, root: str = "corpus"
) -> tuple[Corpus, list[Problem]]:
    """All tasks and outputs that can be read, and every problem of the rest.

    ``documents`` are README.md, tasks/<id>/task.json and outputs/<id>.json by path inside the corpus; ``materials`` all other
    files under tasks/.
    """
    synthesized, provenance, problems = read_declaration(documents.get("README.md"), path=f"{root}/README.md")
    tasks: dict[str, Task] = {}
    for path in sorted(path for path in documents if PurePosixPath(path).name == "task.json"):
        folder = PurePosixPath(path).parent
        files = {
            str(PurePosixPath(name).relative_to(folder)): facts
            for name, facts in materials.items()
            if PurePosixPath(name).is_relative_to(folder)
        }
        task, found = read_task(documents[path], path=f"{root}/{path}", folder=folder.name, files=files)
        problems += found
        if task is not None:
            tasks[task.id] = task
    unread = {PurePosixPath(path).parent.name for path in documents if path.endswith("/task.json")} - set(tasks)
    outputs = []
    for path in sorted(path for path in documents if path.startswith("outputs/")):
        output, found = read_output(documents[path], path=f"{root}/{path}", stem=PurePosixPath(path).stem, tasks=tasks)
        # A task that is itself wrong was reported; its outputs are not wrong for naming it.
        problems += [
            problem
            for problem in found
            if problem.code != "RR212" or not any(f"'{name}'" in problem.message for name in unread)
        ]
        if output is not None:
            outputs.append(output)
    corpus = Corpus(tasks=tuple(tasks.values()), outputs=tuple(outputs), synthesized=synthesized, provenance=provenance)
    return corpus, problems


def without(corpus: Corpus, outputs: frozenset[str]) -> Corpus:
    """The same corpus lacking some outputs."""
    return replace(corpus, outputs=tuple(output for output in corpus.outputs if output.id not in outputs))
