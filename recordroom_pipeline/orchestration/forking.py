"""A spec begun from another one's version; lineage is kept in `forked_from` ("Versioning")."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from recordroom_pipeline.errors import AlreadyWritten, NotFound, RecordRoomError
from recordroom_pipeline.spec.model import Spec
from recordroom_pipeline.spec.write import write_spec
from recordroom_pipeline.store.atomic import create
from recordroom_pipeline.store.files import Project

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*")


def fork(project: Project, source: str, into: str) -> Path:
    """Write SPEC.md of a new spec: the source's version as 0.1.0, its corpus and reviews left behind.

    ``source`` is ``org/name`` for the newest adopted version, or ``org/name@version``.

    Raises:
        NotFound: when the source or its version does not exist.
        AlreadyWritten: when there is a spec of the new name.
    """
    name, _, version = source.partition("@")
    if not _NAME.fullmatch(into):
        raise RecordRoomError(f"'{into}' is no spec name; write org/name in lower case with hyphens")
    origin = _origin(project, name, version)
    # Examples are precedents on outputs that stay behind; their notes would teach what nobody here can look up.
    evals = tuple(replace(eval_, examples=()) for eval_ in origin.evals)
    spec = replace(origin, name=into, version="0.1.0", forked_from=f"{name}@{origin.version}", evals=evals)
    path = project.specs / into / "SPEC.md"
    if not create(path, write_spec(spec).encode()):
        raise AlreadyWritten(f"{project.shown(path)} is there already; choose another name")
    return path


def _origin(project: Project, name: str, version: str) -> Spec:
    adopted = project.spec(name).adopted()
    if not adopted:
        raise NotFound(f"{name} has no adopted version to fork; first: recordroom adopt {name} VERSION")
    if version and version not in adopted:
        raise NotFound(f"{name} has no adopted version '{version}'; known: {', '.join(adopted)}")
    return adopted[version or list(adopted)[-1]].spec
