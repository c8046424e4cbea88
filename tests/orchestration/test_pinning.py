"""RR27: a reviewed verdict becomes an example of its eval, and reaches no judgement of the output it came from."""

from __future__ import annotations

import pytest
from small_project import NAME, change_spec, spec_folder, write_batch

from recordroom_pipeline.errors import NotFound, RecordRoomError
from recordroom_pipeline.judging.question import choose_precedents
from recordroom_pipeline.orchestration.drive import RunOrder, drive
from recordroom_pipeline.orchestration.pinning import pin
from recordroom_pipeline.store.files import Project

BY, ON = "E. Xpert", "2026-10-01"


@pytest.fixture
def run(leases: Project) -> str:
    """The id of a run of the adopted first version, reviewed."""
    folder = spec_folder(leases)
    spec, _ = folder.check()
    assert spec is not None
    folder.freeze(spec)
    found = drive(leases, RunOrder(name=NAME)).versions[0].run
    assert found is not None
    return found


def test_RR27_a_pin_is_one_line_and_a_minor_bump_and_a_second_pin_bumps_no_more(leases: Project, run: str) -> None:
    folder = spec_folder(leases)
    before = folder.spec_md.read_text().splitlines()
    first = pin(folder, run=run, output="a", eval_id="deposit-named", by=BY, on=ON, note="named plainly")
    after = folder.spec_md.read_text().splitlines()

    assert (first.version_before, first.version) == ("0.1.0", "0.2.0")
    assert [line for line in after if line not in before] == [
        "version: 0.2.0",
        "examples:",
        '  - {output: "a", verdict: pass, note: "named plainly", reviewed_by: "E. Xpert", on: 2026-10-01}',
    ]
    write_batch(leases, "2026-10", [("b", "deposit-named", "fail", "agree")])
    second = pin(folder, run=run, output="b", eval_id="deposit-named", by=BY, on=ON)
    assert (second.version_before, second.version) == ("0.2.0", "0.2.0")


def test_RR27_an_example_is_never_shown_for_its_own_output_or_its_task(leases: Project, run: str) -> None:
    folder = spec_folder(leases)
    pin(folder, run=run, output="a", eval_id="deposit-named", by=BY, on=ON)
    eval_ = folder.check()[0].eval_by_id("deposit-named")  # type: ignore[union-attr]

    assert choose_precedents(eval_, "a") == ()
    assert choose_precedents(eval_, "b", same_task=frozenset({"a", "b"})) == ()
    assert [item.verdict for item in choose_precedents(eval_, "elsewhere")] == ["pass"]


def test_a_pinned_example_leaves_standing_verdicts_alone(leases: Project, run: str) -> None:
    pin(spec_folder(leases), run=run, output="a", eval_id="deposit-named", by=BY, on=ON)
    report = drive(leases, RunOrder(name=NAME))

    assert (report.judged, report.reused) == (0, 4)
    assert [(line.n, line.eval) for line in report.precision if line.eval == "deposit-named"] == [(0, "deposit-named")]


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ({"run": "20260101T000000Z-00000000"}, "has no run '20260101T000000Z-00000000'; the newest are"),
        ({"output": "z"}, "holds no output 'z'; it holds a, b"),
        ({"eval_id": "rent"}, "judged no eval 'rent'"),
    ],
)
def test_what_does_not_exist_is_named(leases: Project, run: str, order: dict[str, str], message: str) -> None:
    with pytest.raises(NotFound, match=message):
        pin(spec_folder(leases), **({"run": run, "output": "a", "eval_id": "deposit-named", "by": BY, "on": ON} | order))


def test_only_a_reviewed_verdict_is_pinned_and_a_disagreed_one_as_what_it_should_be(leases: Project, run: str) -> None:
    folder = spec_folder(leases)
    given = {"run": run, "by": BY, "on": ON}
    with pytest.raises(RecordRoomError, match=r"E\. Xpert has not reviewed rent-agrees on a \(reviewed by: nobody\)"):
        pin(folder, output="a", eval_id="rent-agrees", **given)
    with pytest.raises(RecordRoomError, match="disagrees with rent-agrees on b but does not say what it should be"):
        pin(folder, output="b", eval_id="rent-agrees", **given)
    head = "version,output,eval,verdict,agree,should_be,note,reviewed_by,on\n"
    row = "0.1.0,b,rent-agrees,fail,disagree,pass,a typing slip,E. Xpert,2026-09-30\n"
    (leases.specs / NAME / "reviews/2026-11.csv").write_text(head + row)
    pinned = pin(folder, output="b", eval_id="rent-agrees", **given)

    assert (pinned.example.verdict, pinned.example.note) == ("pass", "a typing slip")


def test_a_rule_that_changed_since_and_a_second_pin_of_one_output_are_refused(leases: Project, run: str) -> None:
    folder = spec_folder(leases)
    given = {"run": run, "output": "a", "eval_id": "deposit-named", "by": BY, "on": ON}
    pin(folder, **given)
    with pytest.raises(RecordRoomError, match="a is pinned to deposit-named already"):
        pin(folder, **given)
    change_spec(leases, "The abstract names the deposit.", "The abstract names its deposit.")
    with pytest.raises(RecordRoomError, match="the rule of deposit-named changed since that run"):
        pin(folder, **given)
