"""The frontmatter of SPEC.md, and the spec that it and the evals make."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recordroom_pipeline.spec.eval_section import is_kebab
from recordroom_pipeline.spec.faults import Faults, near
from recordroom_pipeline.spec.model import Eval, Spec, TaskGroup
from recordroom_pipeline.spec.strict_yaml import YamlFault, load_yaml
from recordroom_pipeline.spec.versions import is_version

FRONTMATTER_KEYS = ("name", "version", "description", "maintainers", "license", "forked_from", "tasks")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*")


def read_front_matter(lines: list[str], end: int, faults: Faults) -> tuple[dict[str, Any], dict[str, tuple[int, int]]]:
    try:
        value, places = load_yaml("\n".join(lines[1:end]))
    except YamlFault as fault:
        faults.add(fault.line + 2, "RR104", f"frontmatter: {fault.message}", fault.remedy, fault.col + 1)
        return {}, {}
    if not isinstance(value, dict):
        faults.add(2, "RR104", "the frontmatter is not a list of `key: value` lines", "write `name: org/name` and so on")
        return {}, {}
    return value, places


def assemble_spec(
    front: dict[str, Any],
    places: dict[str, tuple[int, int]],
    evals: list[Eval],
    about: str,
    faults: Faults,
    expected_name: str | None,
) -> Spec | None:
    reader = FrontFields(front, places, faults)
    before = len(faults.found)
    tasks = reader.tasks()
    # Where `tasks` itself is wrong, evals are not wrong for naming what it should have held.
    groups_known = "tasks" in front and len(faults.found) == before
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
        if groups_known and eval_.task_group not in known:
            message = f"eval '{eval_.id}' names the task '{eval_.task_group}', which the frontmatter lacks"
            faults.add(
                eval_.line,
                "RR117",
                message + near(eval_.task_group, known),
                f"write one of {', '.join(known)}, or add it to `tasks`",
            )
    return spec


@dataclass(slots=True)
class FrontFields:
    values: Mapping[str, Any]
    places: Mapping[str, tuple[int, int]]
    faults: Faults

    def __post_init__(self) -> None:
        if not self.values:
            return
        for key in self.values:
            if key not in FRONTMATTER_KEYS and not key.startswith("x-"):
                remedy = f"use one of {', '.join(FRONTMATTER_KEYS)}, or `x-…`"
                self.bad(key, f"unknown frontmatter key '{key}'{near(key, FRONTMATTER_KEYS)}", remedy, "RR105")
        meant = {key for unknown in self.values for key in FRONTMATTER_KEYS if f"'{key}'" in near(unknown, FRONTMATTER_KEYS)}
        for key in FRONTMATTER_KEYS:
            if key not in self.values and key not in (*meant, "forked_from"):
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
