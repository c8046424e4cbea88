"""RR11: a fork names what it came from, and is a spec of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest
from small_project import NAME, spec_folder

from recordroom_pipeline.errors import AlreadyWritten, NotFound, RecordRoomError
from recordroom_pipeline.orchestration.checking import check_folder
from recordroom_pipeline.orchestration.forking import fork
from recordroom_pipeline.store.files import Project


def test_RR11_a_fork_says_the_same_under_its_own_name_and_names_its_origin(leases: Project) -> None:
    spec, _ = spec_folder(leases).check()
    assert spec is not None
    spec_folder(leases).freeze(spec)
    fork(leases, NAME, "other/tenancies")
    folder = leases.spec("other/tenancies")
    forked, problems = folder.check()

    assert problems == []
    assert forked == replace(spec, name="other/tenancies", forked_from="acme/leases@0.1.0")
    assert [problem.level for problem in check_folder(folder)] == ["warning"], "only that its corpus declares nothing yet"
    with pytest.raises(AlreadyWritten, match="is there already"):
        fork(leases, NAME, "other/tenancies")


@pytest.mark.parametrize(
    ("source", "into", "message"),
    [
        (NAME, "other/tenancies", "has no adopted version to fork"),
        ("acme/lease", "other/tenancies", "did you mean 'acme/leases'"),
        (NAME, "Tenancies", "'Tenancies' is no spec name"),
    ],
)
def test_what_cannot_be_forked_is_said_so(leases: Project, source: str, into: str, message: str) -> None:
    with pytest.raises((NotFound, RecordRoomError), match=message):
        fork(leases, source, into)
