"""Adopting a version ("Versioning"): what it flips is shown first, its content is frozen, the reason is kept."""

from __future__ import annotations

import json

import pytest
from small_project import NAME, change_spec, spec_folder, write_reason

from recordroom_pipeline.errors import ProblemsFound, RecordRoomError
from recordroom_pipeline.orchestration.adoption import Adopted, adopt
from recordroom_pipeline.orchestration.checking import check_folder
from recordroom_pipeline.orchestration.drive import RunOrder, drive
from recordroom_pipeline.spec.changes_file import read_changes
from recordroom_pipeline.store.files import Project

TOLERANT = ("right: {default: output}", "right: {default: output}, tolerance: {default: 20000, unit: USD}")


def take_on(project: Project, version: str, **more: object) -> Adopted:
    return adopt(spec_folder(project), version, reason="said so", by="B. Boss", on="2026-09-30", **more)  # type: ignore[arg-type]


def test_the_first_version_is_adopted_as_it_is_and_runs_under_its_number(leases: Project) -> None:
    done = take_on(leases, "0.1.0")

    assert (done.base, done.diff) == (None, None)
    assert list(spec_folder(leases).adopted()) == ["0.1.0"]
    assert [version.key for version in drive(leases, RunOrder(name=NAME)).versions] == ["0.1.0"]
    assert take_on(leases, "0.1.0").already


def test_RR10_a_major_change_is_adopted_only_after_its_flips_were_seen(leases: Project) -> None:
    take_on(leases, "0.1.0")
    drive(leases, RunOrder(name=NAME))
    change_spec(leases, "version: 0.1.0", "version: 0.2.0")
    change_spec(leases, *TOLERANT)
    write_reason(leases, "0.2.0", "0.1.0")
    before = (leases.specs / NAME / "changes.yaml").read_text()
    with pytest.raises(
        RecordRoomError, match=r"0\.1\.0 was run over snapshots that 0\.2\.0 was not; first: recordroom run acme/leases"
    ):
        take_on(leases, "0.2.0")
    assert list(spec_folder(leases).adopted()) == ["0.1.0"]
    drive(leases, RunOrder(name=NAME))
    done = take_on(leases, "0.2.0")

    assert (done.change, done.marks, done.unjudged) == ("major", {"fixes": 1}, 0)
    document = json.loads((leases.specs / NAME / "dist/diffs/0.1.0__0.2.0.json").read_text())
    assert [(flip["output"], flip["eval"], flip["mark"]) for flip in document["flips"]] == [("b", "rent-agrees", "fixes")]
    after = (leases.specs / NAME / "changes.yaml").read_text()
    assert after == before.replace(
        "  adopted: null  # yet\n",
        '  adopted: {on: 2026-09-30, by: "B. Boss", reason: "said so", diff: dist/diffs/0.1.0__0.2.0.json}\n',
    )
    assert [problem.code for problem in check_folder(spec_folder(leases))] == []


def test_no_runs_at_all_give_an_empty_diff_that_says_so(leases: Project) -> None:
    take_on(leases, "0.1.0")
    change_spec(leases, "version: 0.1.0", "version: 0.2.0")
    change_spec(leases, *TOLERANT)
    done = take_on(leases, "0.2.0")

    document = json.loads((leases.specs / NAME / done.diff).read_text())  # type: ignore[operator]
    assert (document["flips"], document["note"]) == ([], "no run of 0.1.0 is kept, so nothing could be compared")
    entries, problems = read_changes((leases.specs / NAME / "changes.yaml").read_bytes(), path="changes.yaml")
    assert problems == []
    assert [(entry.version, entry.base, dict(entry.evals)) for entry in entries] == [
        ("0.2.0", "0.1.0", {"rent-agrees": "major"})
    ]


def test_unjudged_pairs_must_be_accepted(leases: Project) -> None:
    take_on(leases, "0.1.0")
    drive(leases, RunOrder(name=NAME))
    change_spec(leases, "version: 0.1.0", "version: 0.2.0")
    change_spec(leases, "the lease names a deposit and the abstract does not.", "the deposit is not named in bold.")
    drive(leases, RunOrder(name=NAME))

    with pytest.raises(RecordRoomError, match=r"2 pairs of output and eval are not judged.*--accept-unjudged"):
        take_on(leases, "0.2.0")
    assert take_on(leases, "0.2.0", accept_unjudged=True).unjudged == 2


@pytest.mark.parametrize(
    ("version", "edits", "code"),
    [
        ("0.3.0", [], "RR131"),
        ("0.1.1", [TOLERANT], "RR132"),
        ("0.0.9", [], "RR132"),
        ("0.1.1", [("severity: major", "severity: minor")], "RR132"),
    ],
)
def test_RR10_a_bump_that_says_too_little_is_refused_with_the_version_to_write(leases, version, edits, code) -> None:
    take_on(leases, "0.1.0")
    change_spec(leases, "version: 0.1.0", f"version: {'0.1.0' if code == 'RR131' else version}")
    for edit in edits:
        change_spec(leases, *edit)

    if code == "RR131":
        change_spec(leases, "What a lease abstract must hold.", "What a lease abstract holds.")
    with pytest.raises(ProblemsFound) as refused:
        take_on(leases, version)
    assert code in {problem.code for problem in refused.value.problems}
    assert all("version" in problem.remedy or "name 0" in problem.remedy for problem in refused.value.problems)


def test_minor_and_patch_changes_need_no_diff(leases: Project) -> None:
    take_on(leases, "0.1.0")
    drive(leases, RunOrder(name=NAME))
    change_spec(leases, "version: 0.1.0", "version: 0.1.1")
    change_spec(leases, "What a lease abstract must hold.", "What an abstract of a lease must hold.")

    done = take_on(leases, "0.1.1")
    assert (done.change, done.diff) == ("patch", None)


def test_an_id_that_was_dropped_does_not_come_back_with_another_meaning(leases: Project) -> None:
    take_on(leases, "0.1.0")
    change_spec(leases, "version: 0.1.0", "version: 0.2.0")
    change_spec(leases, "### deposit-named", "### deposit-and-holder-named")
    take_on(leases, "0.2.0")
    change_spec(leases, "version: 0.2.0", "version: 0.3.0")
    change_spec(leases, "### deposit-and-holder-named", "### deposit-named")
    change_spec(leases, "The abstract names the deposit.", "The abstract names the holder of the deposit.")

    with pytest.raises(ProblemsFound, match=r"RR133 eval 'deposit-named' was in 0.1.0 with another meaning"):
        take_on(leases, "0.3.0")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"- version: 0.2.0\n", "RR141"),
        (b"- a\n", "RR141"),
        (b"- version: 0.2.0\n  verison: x\n", "RR141"),
        (b"[", "RR140"),
        (b"\xff", "RR140"),
        (b"- &a x\n", "RR140"),
    ],
)
def test_a_faulty_changes_file_is_named_and_never_a_traceback(leases: Project, text: bytes, code: str) -> None:
    (leases.specs / NAME / "changes.yaml").write_bytes(text)

    assert code in {problem.code for problem in check_folder(spec_folder(leases))}
