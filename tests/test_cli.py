"""The command line as a user types it: in a process of its own, with the exit status that scripts rely on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from small_project import NAME, change_spec, make_project, write

from recordroom_pipeline.store.files import Project

UNSET = ("DAGSTER_HOME", "RECORDROOM_JUDGE_MODEL", "RECORDROOM_WAREHOUSE", "OPENAI_API_KEY")


def recordroom(*args: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """One command; the machine's own settings are kept out."""
    environment = {name: value for name, value in os.environ.items() if name not in UNSET} | env
    command = [sys.executable, "-m", "recordroom_pipeline.cli", *args]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment, timeout=300, check=False)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, str]:
    """The small project after one run, and what that run printed."""
    project = make_project(tmp_path_factory.mktemp("finished"))
    done = recordroom("run", NAME, cwd=project.root)
    assert done.returncode == 0, done.stderr
    return project, done.stdout


def test_a_run_prints_verdicts_precision_and_where_everything_lies(finished: tuple[Project, str]) -> None:
    project, printed = finished

    assert "rent-agrees" in printed
    assert "recorded answers written by people (A. Lawyer, 2026-09-01)" in printed
    assert "Precision" in printed
    run_json = next(line.split()[-1] for line in printed.splitlines() if "run.json" in line)
    assert (project.root / run_json).is_file()
    assert (project.root / "warehouse/recordroom.duckdb").is_file()


def test_json_goes_to_stdout_alone(finished: tuple[Project, str]) -> None:
    project, _ = finished
    done = recordroom("--specs", str(project.specs), "run", NAME, "--json", cwd=project.root.parent)

    report = json.loads(done.stdout)
    assert (done.returncode, report["judged"], report["reused"]) == (0, 0, 4)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("--csv", "output,verdict\na,pass\nb,fail\n"),
        (
            "--json",
            '[\n  {\n    "output": "a",\n    "verdict": "pass"\n  },\n  {\n    "output": "b",\n    "verdict": "fail"\n  }\n]\n',
        ),
        ("--table", "output  verdict\na       pass\nb       fail\n"),
    ],
)
def test_sql_prints_a_table_csv_or_json(finished: tuple[Project, str], form: str, expected: str) -> None:
    statement = "select output, verdict from latest_verdicts where eval = 'rent-agrees' order by output"
    done = recordroom("sql", statement, form, "--specs", str(finished[0].specs), cwd=finished[0].root)

    assert (done.returncode, done.stdout) == (0, expected)


def test_wrong_sql_names_the_tables_that_there_are(finished: tuple[Project, str]) -> None:
    done = recordroom("sql", "select * from verdict", cwd=finished[0].root)

    assert done.returncode == 1
    assert "tables and views: documents, segments" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_file_is_status_1_with_file_line_and_remedy(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    change_spec(project, "severity: major", "severity: grave")
    write(project.specs / NAME / "corpus/outputs/c.json", '{"id": "c"}')
    done = recordroom("run", NAME, cwd=tmp_path)

    assert done.returncode == 1
    assert "specs/acme/leases/SPEC.md:26:1: error RR117 severity 'grave' is unknown" in done.stderr
    assert "specs/acme/leases/corpus/outputs/c.json:1:1: error RR203 `task` is missing" in done.stderr
    assert "Traceback" not in done.stderr
    assert recordroom("check", cwd=tmp_path).returncode == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("run",), "Missing argument"),
        (("run", "acme/lease"), "there is no spec 'acme/lease'"),
        (("run", "acme/lease"), "did you mean 'acme/leases'?"),
        (("run", NAME, "--version", "7.0.0"), "has no version '7.0.0'"),
        (("run", NAME, "--eval", "x"), "there is no eval 'x'"),
        (("walk",), "No such command"),
        (("--specs", "nowhere", "check"), "there is no such folder"),
    ],
)
def test_misuse_is_status_2_and_says_what_there_is(finished: tuple[Project, str], args: tuple[str, ...], message: str) -> None:
    done = recordroom(*args, cwd=finished[0].root)

    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_outside_a_project_the_way_in_is_named(tmp_path: Path) -> None:
    done = recordroom("check", cwd=tmp_path)

    assert done.returncode == 2
    assert "--specs DIR" in done.stderr


def test_a_judge_that_does_not_answer_is_status_3_and_what_is_done_is_kept(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    dead = {"RECORDROOM_JUDGE_API_BASE": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "sk-secret-of-the-test"}
    done = recordroom("run", NAME, "--judge", "openai/none", cwd=tmp_path, **dead)

    assert done.returncode == 3
    assert "2 verdicts of 0.1.0-draft" in done.stderr
    assert "run again to go on" in done.stderr
    assert "sk-secret-of-the-test" not in done.stdout + done.stderr
    again = json.loads(recordroom("run", NAME, "--json", cwd=tmp_path).stdout)
    assert (again["judged"], again["reused"]) == (2, 2), "the computed eval was kept"
    assert project.database.is_file()


def test_real_conversations_come_in_by_one_command(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    messages = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Cancel EHGLP3."},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "cancel", "arguments": '{"id": "EHGLP3"}'}},
        ]},
        {"role": "tool", "tool_call_id": "c1", "name": "cancel", "content": "done"},
        {"role": "assistant", "content": "It is cancelled."},
    ]  # fmt: skip
    write(tmp_path / "chat.json", json.dumps(messages))
    done = recordroom("import", "trajectories", "chat.json", "--into", "acme/desk", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert "next: write specs/acme/desk/SPEC.md" in done.stderr
    (output,) = (tmp_path / "specs/acme/desk/corpus/outputs").glob("*.json")
    assert json.loads(output.read_text())["final"] == "It is cancelled."
    assert list((tmp_path / "specs/acme/desk/corpus/tasks").rglob("policy.md"))


@pytest.mark.parametrize(
    "args", [(), ("run",), ("sync",), ("check",), ("sql",), ("import", "trajectories"), ("recording", "stamp")]
)
def test_every_help_shows_an_example_and_takes_specs(args: tuple[str, ...], tmp_path: Path) -> None:
    done = recordroom(*args, "-h", cwd=tmp_path)

    assert done.returncode == 0
    assert "--specs" in done.stdout
    assert not args or "Example:" in done.stdout
