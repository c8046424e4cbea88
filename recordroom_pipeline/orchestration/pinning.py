"""Pinning a reviewed verdict to its eval as an example: one line in SPEC.md and a minor bump ("Verdict reviews")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from recordroom_pipeline.errors import NotFound, RecordRoomError
from recordroom_pipeline.orchestration.register import find_batches
from recordroom_pipeline.orchestration.reviews import attach_again
from recordroom_pipeline.spec.changes import smallest_legal_version
from recordroom_pipeline.spec.edit import pin_example, set_version
from recordroom_pipeline.spec.model import Example, Spec
from recordroom_pipeline.spec.read import read_spec
from recordroom_pipeline.spec.versions import version_order
from recordroom_pipeline.store.atomic import write_bytes
from recordroom_pipeline.store.files import SpecFolder
from recordroom_pipeline.store.parquet import read_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """What pinning changed."""

    eval: str
    example: Example
    version_before: str
    version: str

    def line(self) -> str:
        """For a person."""
        bump = (
            f"version {self.version_before} → {self.version}"
            if self.version != self.version_before
            else f"still {self.version}"
        )
        return f"pinned {self.example.output} as {self.example.verdict} to {self.eval}; {bump}"


def pin(folder: SpecFolder, *, run: str, output: str, eval_id: str, by: str, on: str, note: str | None = None) -> Pinned:
    """Pin one reviewed verdict; a disagreed one is pinned as what the expert says it should be.

    Raises:
        NotFound: when the run or the verdict does not exist.
        RecordRoomError: when the verdict was not reviewed, or the rule changed since.
    """
    verdict = _verdict(folder, run, output, eval_id)
    label, found_note = _reviewed_label(folder, verdict, by)
    data = folder.spec_md.read_bytes()
    spec = read_spec(data, path=folder.project.shown(folder.spec_md), expected_name=folder.name)
    _check_rule(spec, verdict, output, eval_id)
    example = Example(output=output, verdict=label, reviewed_by=by, on=on, note=note or found_note)
    edited = pin_example(data, eval_id, example)
    version = next_version(folder, spec)
    if version != spec.version:
        edited = set_version(edited, version)
    write_bytes(folder.spec_md, edited)
    return Pinned(eval=eval_id, example=example, version_before=spec.version, version=version)


def _verdict(folder: SpecFolder, run: str, output: str, eval_id: str) -> dict[str, Any]:
    path = folder.table_file("verdicts", run)
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in folder.runs.glob("*.json"))[-5:]) or "none"
        raise NotFound(f"{folder.name} has no run '{run}'; the newest are {known}")
    rows = [row for row in read_table([path], "verdicts").iter_rows(named=True) if row["eval"] == eval_id]
    if not rows:
        raise NotFound(f"run {run} judged no eval '{eval_id}'")
    mine = next((row for row in rows if row["output"] == output), None)
    if mine is None:
        raise NotFound(f"run {run} holds no output '{output}'; it holds {', '.join(row['output'] for row in rows[:8])}, …")
    if mine["na_reason"] == "not_judgeable":
        raise RecordRoomError(f"{eval_id} on {output} was not judged in run {run}, so there is nothing to pin")
    return mine


def _reviewed_label(folder: SpecFolder, verdict: dict[str, Any], by: str) -> tuple[Any, str | None]:
    """The label to pin and the reviewer's note: the newest review of this verdict by the one who pins."""
    batches = list(find_batches(folder))
    attach_again(folder, batches)
    rows = [
        row
        for batch in batches
        for row in read_table([folder.table_file("reviews", batch)], "reviews").iter_rows(named=True)
        if row["subject"] == verdict["subject"]
    ]
    mine = sorted(
        (row for row in rows if row["reviewed_by"] == by), key=lambda row: (row["on"], row["batch_place"], row["row"])
    )
    place = f"{verdict['eval']} on {verdict['output']}"
    if not mine:
        others = ", ".join(sorted({row["reviewed_by"] for row in rows})) or "nobody"
        raise RecordRoomError(f"{by} has not reviewed {place} (reviewed by: {others}); add a row to a review batch first")
    newest = mine[-1]
    if newest["agree"]:
        return verdict["verdict"], newest["note"]
    if newest["should_be"] is None:
        raise RecordRoomError(
            f"{by} disagrees with {place} but does not say what it should be; review it again with `should_be`"
        )
    return newest["should_be"], newest["note"]


def _check_rule(spec: Spec, verdict: dict[str, Any], output: str, eval_id: str) -> None:
    eval_ = spec.eval_by_id(eval_id)
    if eval_ is None:
        raise RecordRoomError(f"SPEC.md has no eval '{eval_id}' any more")
    if eval_.identity != verdict["eval_identity"]:
        raise RecordRoomError(f"the rule of {eval_id} changed since that run; run it again and review the new verdict")
    if any(example.output == output for example in eval_.examples):
        raise RecordRoomError(f"{output} is pinned to {eval_id} already")


def next_version(folder: SpecFolder, spec: Spec) -> str:
    """The version that says a pin: a minor bump from the newest adopted one, unless SPEC.md is that far already."""
    adopted = list(folder.adopted())
    if not adopted:
        return spec.version
    needed = smallest_legal_version(adopted[-1], "minor")
    return spec.version if version_order(spec.version) >= version_order(needed) else needed


def spec_of_run(folders: list[SpecFolder], run: str) -> SpecFolder:
    """The spec that a run belongs to.

    Raises:
        NotFound: when none holds it.
    """
    found = next((folder for folder in folders if (folder.runs / f"{run}.json").is_file()), None)
    if found is None:
        raise NotFound(f"no spec has a run '{run}'; run ids stand in `recordroom sql \"select run, spec from runs\"`")
    return found
