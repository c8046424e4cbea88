"""Where everything lies ("Directory layout"): a project, its specs, their versions and snapshots."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any

from recordroom_pipeline.canonical import sha256_hex
from recordroom_pipeline.corpus.model import Corpus
from recordroom_pipeline.corpus.read import FileFacts, read_corpus
from recordroom_pipeline.corpus.snapshot import snapshot_hash, snapshot_key
from recordroom_pipeline.errors import NotFound, Problem, RecordRoomError
from recordroom_pipeline.spec.compile import read_spec_document, spec_document, spec_hash
from recordroom_pipeline.spec.model import Spec
from recordroom_pipeline.spec.read import check_spec
from recordroom_pipeline.spec.versions import base_version, draft_key, version_order
from recordroom_pipeline.store.atomic import create, create_same, write_bytes

_PART = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def json_bytes(value: Any) -> bytes:
    """Indented JSON with a final line end, for files that people read."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A specs folder and the warehouse its results go to."""

    specs: Path
    warehouse: Path

    @property
    def root(self) -> Path:
        """The folder that holds specs/; paths in messages are relative to it."""
        return self.specs.parent

    @property
    def database(self) -> Path:
        """The derived DuckDB file that analysts open."""
        return self.warehouse / "recordroom.duckdb"

    @property
    def tables(self) -> Path:
        """Root of the Parquet tables: ``<table>/**/*.parquet``."""
        return self.warehouse / "tables"

    def shown(self, path: Path) -> str:
        """A path as messages show it: relative to the root where it lies below."""
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return str(path)

    def names(self) -> tuple[str, ...]:
        """Every ``org/name`` that has a SPEC.md, sorted."""
        found = (path.parent for path in self.specs.glob("*/*/SPEC.md"))
        return tuple(sorted(f"{folder.parent.name}/{folder.name}" for folder in found if _is_spec_folder(folder)))

    def spec(self, name: str) -> SpecFolder:
        """One spec's folder.

        Raises:
            NotFound: naming the nearest spec that exists.
        """
        folder = SpecFolder(project=self, name=name)
        if name not in self.names():
            known = self.names()
            close = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
            hint = f"did you mean '{close[0]}'?" if close else f"add {self.shown(self.specs)}/{name}/SPEC.md"
            raise NotFound(f"there is no spec '{name}' under {self.specs}; {hint} (known: {', '.join(known) or 'none'})")
        return folder


def _is_spec_folder(folder: Path) -> bool:
    return bool(_PART.fullmatch(folder.name) and _PART.fullmatch(folder.parent.name))


def find_project(specs: Path | None = None, *, start: Path | None = None, env: Mapping[str, str] | None = None) -> Project:
    """The project of a specs folder that was named, else of the nearest folder upwards that holds ``specs/``.

    Raises:
        NotFound: when there is none.
    """
    environment = os.environ if env is None else env
    here = (start or Path.cwd()).resolve()
    if specs is None:
        root = next((folder for folder in (here, *here.parents) if (folder / "specs").is_dir()), None)
        if root is None:
            raise NotFound(f"no folder `specs` in {here} or above; go to your project, or name one with --specs DIR")
        specs = root / "specs"
    elif not specs.is_dir():
        raise NotFound(f"--specs {specs}: there is no such folder; create it, or name another")
    specs = specs.resolve()
    given = environment.get("RECORDROOM_WAREHOUSE")
    return Project(specs=specs, warehouse=Path(given).resolve() if given else specs.parent / "warehouse")


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One content of a spec under its partition key."""

    key: str
    """``0.2.0``, or ``0.3.0-draft.1a2b3c4d`` where nobody adopted it."""
    spec: Spec
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One state of a corpus under its partition key."""

    key: str
    hash: str
    corpus: Corpus
    files: Mapping[str, str]
    """sha256 hex of every file's bytes by path inside the corpus; the blobs of that name hold them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecFolder:
    """One spec: SPEC.md, corpus, reviews and dist, and what the warehouse keeps of it."""

    project: Project
    name: str

    @property
    def path(self) -> Path:
        return self.project.specs / self.name

    @property
    def spec_md(self) -> Path:
        return self.path / "SPEC.md"

    @property
    def corpus(self) -> Path:
        return self.path / "corpus"

    @property
    def reviews(self) -> Path:
        return self.path / "reviews"

    @property
    def recordings(self) -> Path:
        return self.corpus / "recordings"

    @property
    def runs(self) -> Path:
        return self.path / "dist" / "runs"

    @property
    def versions(self) -> Path:
        return self.path / "dist" / "versions"

    @property
    def slug(self) -> str:
        """The name as one folder name: ``org~name``."""
        return self.name.replace("/", "~")

    def kept(self, *parts: str) -> Path:
        """A path of this spec inside the warehouse: ``<kind>/<org~name>/…``."""
        return self.project.warehouse.joinpath(parts[0], self.slug, *parts[1:])

    def table_file(self, table: str, stem: str) -> Path:
        """The Parquet file that holds one partition's rows of a table."""
        return self.project.tables / table / f"spec={self.slug}" / f"{stem}.parquet"

    # ── versions ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def check(self) -> tuple[Spec | None, list[Problem]]:
        """SPEC.md as it stands, and its problems."""
        return check_spec(self.spec_md.read_bytes(), path=self.project.shown(self.spec_md), expected_name=self.name)

    def adopted(self) -> dict[str, Version]:
        """Every frozen version by number, oldest first."""
        found = {path.stem: path for path in self.versions.glob("*.json")}
        return {number: self._frozen(found[number]) for number in sorted(found, key=version_order)}

    def _frozen(self, path: Path) -> Version:
        spec = _read_version(path, self.project.shown(path))
        return Version(key=path.stem, spec=spec, hash=spec_hash(spec))

    def keep_version(self, spec: Spec) -> Version:
        """Register one content under its key: its number where that content was adopted, else a draft's key."""
        hash_ = spec_hash(spec)
        frozen = self.versions / f"{spec.version}.json"
        key = draft_key(spec.version, hash_)
        if frozen.is_file() and spec_hash(_read_version(frozen, self.project.shown(frozen))) == hash_:
            key = spec.version
        create_same(self.kept("compiled", f"{key}.json"), json_bytes(spec_document(spec)))
        return Version(key=key, spec=spec, hash=hash_)

    def version(self, key: str) -> Version:
        """The content behind a partition key.

        Raises:
            NotFound: listing the keys that exist.
        """
        for path in (self.kept("compiled", f"{key}.json"), self.versions / f"{key}.json"):
            if path.is_file():
                spec = _read_version(path, self.project.shown(path))
                return Version(key=key, spec=spec, hash=spec_hash(spec))
        raise NotFound(f"{self.name} has no version '{key}'; known: {', '.join(self.version_keys()) or 'none'}")

    def version_keys(self) -> tuple[str, ...]:
        """Every key ever registered or adopted, in semver order, drafts before what was adopted under their number."""
        kept = {path.stem for path in self.kept("compiled").glob("*.json")}
        frozen = {path.stem for path in self.versions.glob("*.json")}
        return tuple(sorted(kept | frozen, key=lambda key: (version_order(base_version(key)), key in frozen, key)))

    def freeze(self, spec: Spec) -> Path:
        """Write ``dist/versions/<version>.json`` once.

        Raises:
            AlreadyWritten: when other content stands under that version.
        """
        path = self.versions / f"{spec.version}.json"
        create_same(path, json_bytes(spec_document(spec)))
        return path

    def write_spec_json(self, spec: Spec) -> None:
        """The build artifact ``dist/spec.json`` of SPEC.md as it stands."""
        write_bytes(self.path / "dist" / "spec.json", json_bytes(spec_document(spec)))

    # ── corpus ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def read_corpus(self) -> tuple[Corpus, dict[str, str], list[Problem]]:
        """The corpus as it stands, the digest of each of its files, and its problems."""
        found = {path.relative_to(self.corpus).as_posix(): path for path in _corpus_files(self.corpus)}
        paths = {name: path for name, path in found.items() if not _is_linked(path, self.corpus)}
        documents = {name: path.read_bytes() for name, path in paths.items() if _is_document(name)}
        facts = {name: _facts(path) for name, path in paths.items() if not _is_document(name)}
        corpus, problems = read_corpus(documents, facts, root=self.project.shown(self.corpus))
        problems += [_link_problem(self.project.shown(found[name])) for name in sorted(set(found) - set(paths))]
        files = {name: sha256_hex(data) for name, data in documents.items()} | {name: f.sha256 for name, f in facts.items()}
        return corpus, files, problems

    def keep_snapshot(self) -> Snapshot:
        """Register the corpus as it stands: its files as blobs, its manifest under the snapshot's key.

        Raises:
            ProblemsFound: when a file of the corpus is wrong.
        """
        from recordroom_pipeline.errors import raise_errors

        corpus, files, problems = self.read_corpus()
        raise_errors(problems)
        for name, digest in files.items():
            self._keep_blob(digest, self.corpus / name)
        hash_ = snapshot_hash(corpus)
        key = snapshot_key(hash_)
        manifest = {"kind": "snapshot", "spec": self.name, "hash": hash_, "files": dict(sorted(files.items()))}
        create(self.kept("snapshots", f"{key}.json"), json_bytes(manifest))
        return Snapshot(key=key, hash=hash_, corpus=corpus, files=files)

    def snapshot(self, key: str) -> Snapshot:
        """A snapshot that was registered before, rebuilt from its blobs.

        Raises:
            NotFound: listing the keys that exist.
        """
        path = self.kept("snapshots", f"{key}.json")
        if not path.is_file():
            raise NotFound(f"{self.name} has no corpus snapshot '{key}'; known: {', '.join(self.snapshot_keys()) or 'none'}")
        manifest = json.loads(path.read_bytes())
        files: dict[str, str] = manifest["files"]
        documents = {name: self.blob(digest).read_bytes() for name, digest in files.items() if _is_document(name)}
        facts = {
            name: FileFacts(sha256=digest, size=self.blob(digest).stat().st_size)
            for name, digest in files.items()
            if not _is_document(name)
        }
        corpus, _ = read_corpus(documents, facts, root=f"{self.slug}@{key}")
        return Snapshot(key=key, hash=manifest["hash"], corpus=corpus, files=files)

    def snapshot_keys(self) -> tuple[str, ...]:
        """Every snapshot ever registered, oldest first."""
        found = self.kept("snapshots").glob("*.json")
        return tuple(path.stem for path in sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.stem)))

    def blob(self, digest: str) -> Path:
        """Where the bytes of that sha256 are kept."""
        return self.project.warehouse / "blobs" / digest[:2] / digest

    def _keep_blob(self, digest: str, source: Path) -> None:
        if not self.blob(digest).is_file():
            create(self.blob(digest), source.read_bytes())


def _read_version(path: Path, shown: str) -> Spec:
    try:
        return read_spec_document(json.loads(path.read_bytes()))
    except (ValueError, RecordRoomError) as error:
        raise RecordRoomError(f"{shown}: {error}") from error


def _corpus_files(corpus: Path) -> Iterator[Path]:
    if (corpus / "README.md").is_file():
        yield corpus / "README.md"
    yield from (path for path in sorted((corpus / "tasks").rglob("*")) if _is_entry(path))
    yield from sorted((corpus / "outputs").glob("*.json"))


def _is_entry(path: Path) -> bool:
    """A file, or a link of any kind, which is then reported; hidden files are an editor's or the system's."""
    return (path.is_file() or path.is_symlink()) and not path.name.startswith(".")


def _is_linked(path: Path, corpus: Path) -> bool:
    """Whether a file is reached through a symbolic link: what it shows may lie anywhere and change unseen."""
    return any(part.is_symlink() for part in (path, *path.parents) if part.is_relative_to(corpus) and part != corpus)


def _link_problem(shown: str) -> Problem:
    message = "the file is a symbolic link, or lies in a folder that is one; it is not read"
    return Problem(path=shown, code="RR218", message=message, remedy="copy the file itself into the corpus")


def _is_document(name: str) -> bool:
    parts = name.split("/")
    return name == "README.md" or parts[0] == "outputs" or (len(parts) == 3 and parts[2] == "task.json")


def _facts(path: Path) -> FileFacts:
    with path.open("rb") as file:
        return FileFacts(sha256=file_digest(file, "sha256").hexdigest(), size=path.stat().st_size)
