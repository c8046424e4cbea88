"""Versions and snapshots by content: what was registered stays, whatever becomes of the files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_project import NAME, change_spec, make_project, spec_folder, write_output

from recordroom_pipeline.errors import AlreadyWritten, NotFound, RecordRoomError
from recordroom_pipeline.store.files import find_project


@pytest.fixture
def folder(tmp_path: Path):
    return spec_folder(make_project(tmp_path))


def test_a_snapshot_is_rebuilt_from_its_blobs_when_the_files_have_changed(folder) -> None:
    before = folder.keep_snapshot()
    write_output(folder.project, "a", "Something else.")
    (folder.corpus / "tasks/L1/lease.md").write_text("Burnt.")
    after = folder.keep_snapshot()

    assert after.key != before.key
    assert folder.snapshot(before.key).corpus == before.corpus
    assert set(folder.snapshot_keys()) == {before.key, after.key}


def test_a_version_that_nobody_adopted_is_a_draft_of_its_content(folder) -> None:
    spec, _ = folder.check()
    draft = folder.keep_version(spec)
    folder.freeze(spec)
    adopted = folder.keep_version(spec)

    assert draft.key.startswith("0.1.0-draft.")
    assert adopted.key == "0.1.0"
    assert folder.version(draft.key).hash == adopted.hash
    assert folder.version_keys() == (draft.key, "0.1.0")


def test_other_content_under_an_adopted_version_is_refused(folder) -> None:
    folder.freeze(folder.check()[0])
    change_spec(folder.project, "The abstract names the deposit.", "The abstract names no deposit.")

    with pytest.raises(AlreadyWritten, match=r"0\.1\.0\.json stands there with other content"):
        folder.freeze(folder.check()[0])
    assert folder.keep_version(folder.check()[0]).key.startswith("0.1.0-draft.")


def test_a_version_edited_by_hand_is_refused_with_its_file_named(folder) -> None:
    path = folder.freeze(folder.check()[0])
    path.write_text(json.dumps(json.loads(path.read_text()) | {"description": "edited"}))

    with pytest.raises(RecordRoomError, match=r"dist/versions/0\.1\.0\.json: .*does not match its hash"):
        folder.adopted()


def test_a_project_is_the_nearest_folder_upwards_that_holds_specs(folder, tmp_path: Path) -> None:
    inside = find_project(start=folder.corpus, env={})
    elsewhere = find_project(start=folder.corpus, env={"RECORDROOM_WAREHOUSE": str(tmp_path / "other")})

    assert (inside.root, inside.warehouse) == (tmp_path, tmp_path / "warehouse")
    assert elsewhere.warehouse == tmp_path / "other"
    with pytest.raises(NotFound, match="--specs DIR"):
        find_project(start=Path("/"), env={})
    with pytest.raises(NotFound, match=f"known: {NAME}"):
        inside.spec("acme/lease")
