"""The command line: thin over the functions that the assets call. Data goes to stdout, words to stderr.

Exit status: 0 done, 1 files are wrong, 2 misuse, 3 unfinished (what is done is kept). Everything heavy is imported inside the
commands, so that `--help` answers at once.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from recordroom_pipeline.errors import Incomplete, NotFound, Problem, ProblemsFound, RecordRoomError

if TYPE_CHECKING:
    from recordroom_pipeline.store.files import Project

Command = TypeVar("Command", bound=Callable[..., Any])
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 110}
_SPECS = click.option(
    "--specs",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="The specs folder; its parent is the project's root.  [default: the nearest `specs` upwards]",
)


def _door(command: Command) -> Command:
    """Every command: takes --specs, opens the project, and turns errors that a user can mend into words and an exit status."""

    @functools.wraps(command)
    def opened(*args: Any, specs: Path | None, **kwargs: Any) -> Any:
        context = click.get_current_context()
        try:
            return command(_project(specs or context.obj), *args, **kwargs)
        except ProblemsFound as found:
            _print_problems(found.problems)
            sys.exit(1)
        except (Incomplete, NotFound, RecordRoomError) as error:
            click.echo(f"recordroom: {error}", err=True)
            sys.exit(3 if isinstance(error, Incomplete) else 2 if isinstance(error, NotFound) else 1)

    return _SPECS(opened)  # type: ignore[return-value]


def _project(specs: Path | None) -> Project:
    from recordroom_pipeline.store.files import find_project

    return find_project(specs)


def _print_problems(problems: tuple[Problem, ...] | list[Problem]) -> None:
    for problem in sorted(problems):
        click.echo(str(problem), err=True)
    errors = sum(problem.level == "error" for problem in problems)
    if errors:
        click.echo(f"{errors} {'problem' if errors == 1 else 'problems'}; nothing was done", err=True)


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


@click.group(context_settings=CONTEXT)
@_SPECS
@click.version_option(package_name="recordroom-pipeline")
@click.pass_context
def main(context: click.Context, specs: Path | None) -> None:
    """Hold the work of AI agents to experts' rules: SPEC.md in; verdicts with cited evidence, precision and flips out."""
    context.obj = specs


@main.command(context_settings=CONTEXT)
@click.argument("name", metavar="ORG/NAME")
@click.option("--version", "version", help="A version, a draft's key, or `all`.  [default: SPEC.md as it stands]")
@click.option("--eval", "evals", multiple=True, metavar="ID", help="Judge only this eval; may be repeated. Assembles no run.")
@click.option("--corpus", "corpus", metavar="SNAPSHOT", help="Judge this state of the corpus.  [default: as it stands]")
@click.option("--judge", "judge", metavar="MODEL", help="A litellm model.  [default: $RECORDROOM_JUDGE_MODEL, else recordings]")
@click.option("--json", "as_json", is_flag=True, help="Print what came of it as JSON.")
@_door
def run(
    project: Project,
    name: str,
    version: str | None,
    evals: tuple[str, ...],
    corpus: str | None,
    judge: str | None,
    as_json: bool,
) -> None:
    """Compile, parse, judge and assemble a run of a spec; then take in review batches and compute precision and flips.

    What was judged before with the same content is not judged again. This drives the assets that the Dagster UI shows, on the
    same instance.

    \b
    Example:
      recordroom run recordroom/property-underwriting
      recordroom run recordroom/property-underwriting --version 0.2.0 --json
    """
    from recordroom_pipeline.orchestration.drive import RunOrder, drive
    from recordroom_pipeline.printing import CliProgress, print_report

    order = RunOrder(name=name, version=version, evals=evals, corpus=corpus, judge=judge)
    report = drive(project, order, progress=CliProgress())
    _print_problems(report.warnings)
    if as_json:
        _print_json(report.document())
    else:
        print_report(project, report)
    if report.unfinished:
        raise Incomplete(report.unfinished)


@main.command(context_settings=CONTEXT)
@click.argument("name", metavar="[ORG/NAME]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print what was registered as JSON.")
@_door
def sync(project: Project, name: str | None, as_json: bool) -> None:
    """Register versions, evals, corpus snapshots and review batches as partitions, as the spec sensor does.

    \b
    Example:
      recordroom sync
    """
    from recordroom_pipeline.orchestration.drive import sync_specs

    registered = sync_specs(project, [name] if name else list(project.names()))
    if as_json:
        _print_json([entry.document() for entry in registered])
    for entry in registered:
        _print_problems(entry.problems)
        if not as_json:
            click.echo(entry.line())
    if any(problem.level == "error" for entry in registered for problem in entry.problems):
        sys.exit(1)


@main.command(context_settings=CONTEXT)
@click.argument("names", metavar="[ORG/NAME]...", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print the problems as JSON.")
@_door
def check(project: Project, names: tuple[str, ...], as_json: bool) -> None:
    """Read a spec, its corpus, recordings and reviews without writing anything, and print every problem.

    \b
    Example:
      recordroom check recordroom/property-underwriting
    """
    from recordroom_pipeline.canonical import plain
    from recordroom_pipeline.orchestration.checking import check_folder

    folders = [project.spec(name) for name in (names or project.names())]
    problems = [problem for folder in folders for problem in check_folder(folder)]
    if as_json:
        _print_json(plain(problems))
    else:
        for problem in problems:
            click.echo(str(problem))
        click.echo(f"{len(folders)} specs, {_count(problems, 'error')}, {_count(problems, 'warning')}", err=True)
    if any(problem.level == "error" for problem in problems):
        sys.exit(1)


@main.command(context_settings=CONTEXT)
@click.argument("name", metavar="ORG/NAME")
@click.argument("version", metavar="VERSION")
@click.option("--reason", required=True, help="Why this version is taken on.")
@click.option("--by", "by", required=True, metavar="NAME", help="Who takes it on.")
@click.option("--on", "on", metavar="DATE", help="YYYY-MM-DD.  [default: today]")
@click.option("--accept-unjudged", is_flag=True, help="Adopt although some pairs have no verdict to compare.")
@_door
def adopt(project: Project, name: str, version: str, reason: str, by: str, on: str | None, accept_unjudged: bool) -> None:
    """Freeze SPEC.md as it stands under its version, once what it flips was shown.

    Minor and patch changes are adopted as they are. A major change needs a run of this version over every snapshot that the
    adopted version was run on; the flips are kept as dist/diffs/<from>__<to>.json. Running needs no adoption.

    \b
    Example:
      recordroom adopt recordroom/property-underwriting 0.3.0 --by "T. Ferrand" --reason "reviewed in the desk's meeting"
    """
    from datetime import date

    from recordroom_pipeline.orchestration.adoption import adopt as adopt_version

    day = _day(on) if on else date.today().isoformat()
    done = adopt_version(project.spec(name), version, reason=reason, by=by, on=day, accept_unjudged=accept_unjudged)
    for line in done.lines():
        click.echo(line)


@main.command(context_settings=CONTEXT)
@click.argument("run", metavar="RUN")
@click.argument("output", metavar="OUTPUT")
@click.argument("eval_id", metavar="EVAL")
@click.option("--by", "by", required=True, metavar="NAME", help="The expert who reviewed the verdict.")
@click.option("--on", "on", required=True, metavar="DATE", help="YYYY-MM-DD.")
@click.option("--note", help="What the example teaches.  [default: the review's note]")
@_door
def pin(project: Project, run: str, output: str, eval_id: str, by: str, on: str, note: str | None) -> None:
    """Pin a reviewed verdict to its eval as an example: one line in SPEC.md, and a minor bump.

    A verdict that its reviewer disagrees with is pinned as what the review says it should be.

    \b
    Example:
      recordroom pin 20261201T093000Z-1a2b3c4d PU-0412-b tiv-sum --by "Ines Calloway" --on 2026-12-01
    """
    from recordroom_pipeline.orchestration.pinning import pin as pin_verdict
    from recordroom_pipeline.orchestration.pinning import spec_of_run

    folder = spec_of_run([project.spec(name) for name in project.names()], run)
    done = pin_verdict(folder, run=run, output=output, eval_id=eval_id, by=by, on=_day(on), note=note)
    click.echo(f"{project.shown(folder.spec_md)}: {done.line()}")


@main.command(context_settings=CONTEXT)
@click.argument("source", metavar="ORG/NAME[@VERSION]")
@click.argument("into", metavar="NEW_ORG/NAME")
@_door
def fork(project: Project, source: str, into: str) -> None:
    """Begin a spec from another one's adopted version: its rules as 0.1.0, without its corpus and reviews.

    \b
    Example:
      recordroom fork recordroom/property-underwriting@0.2.0 acme/property
    """
    from recordroom_pipeline.orchestration.forking import fork as fork_spec

    click.echo(f"{project.shown(fork_spec(project, source, into))}: written; now add a corpus, then `recordroom run {into}`")


def _day(text: str) -> str:
    from datetime import date

    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise click.BadParameter(f"'{text}' is no date; write YYYY-MM-DD", param_hint="--on") from error


@main.command(context_settings=CONTEXT)
@click.argument("names", metavar="[ORG/NAME]...", nargs=-1)
@click.option("--check", "only_check", is_flag=True, help="Change nothing; status 1 where a file would change.")
@_door
def fmt(project: Project, names: tuple[str, ...], only_check: bool) -> None:
    """Lay out SPEC.md: order of fields and spacing, which have no meaning. What a spec says, and its hash, stay the same.

    \b
    Example:
      recordroom fmt recordroom/property-underwriting
    """
    from recordroom_pipeline.spec.layout import format_spec
    from recordroom_pipeline.store.atomic import write_bytes

    changed = 0
    for folder in [project.spec(name) for name in (names or project.names())]:
        before = folder.spec_md.read_bytes()
        after = format_spec(before)
        if after == before:
            continue
        changed += 1
        click.echo(f"{project.shown(folder.spec_md)}: {'would change' if only_check else 'laid out'}")
        if not only_check:
            write_bytes(folder.spec_md, after)
    sys.exit(1 if only_check and changed else 0)


def _count(problems: list[Problem], level: str) -> str:
    number = sum(problem.level == level for problem in problems)
    return f"{number} {level}{'' if number == 1 else 's'}"


@main.command(context_settings=CONTEXT)
@click.argument("statement", metavar="SQL")
@click.option("--json", "form", flag_value="json", help="Print rows as JSON.")
@click.option("--csv", "form", flag_value="csv", help="Print rows as CSV.")
@click.option("--table", "form", flag_value="table", default=True, help="Print a table.  [default]")
@_door
def sql(project: Project, statement: str, form: str) -> None:
    """Ask the warehouse in SQL, read-only.

    \b
    Example:
      recordroom sql "select eval, precision, n from precision_latest"
    """
    from recordroom_pipeline.printing import print_rows
    from recordroom_pipeline.store.duck import query

    if not project.database.is_file():
        raise RecordRoomError(f"{project.shown(project.database)} is not there yet; run `recordroom run ORG/NAME` first")
    result = query(project.database, statement)
    print_rows(result.columns, result.rows, form)


@main.group("import", context_settings=CONTEXT)
def import_() -> None:
    """Bring other people's files in."""


@import_.command("trajectories", context_settings=CONTEXT)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--into", "name", required=True, metavar="ORG/NAME", help="The spec whose corpus takes them; made if need be.")
@click.option("--json", "as_json", is_flag=True, help="Print what was taken and dropped as JSON.")
@_door
def import_trajectories(project: Project, file: Path, name: str, as_json: bool) -> None:
    """Turn recorded conversations with tool calls into tasks and outputs; the kind of file is found by looking.

    Rewards, expected actions and simulated customers' scripts are labels: they are dropped, and counted in what is printed.

    \b
    Example:
      recordroom import trajectories runs.json --into acme/airline-desk
    """
    from recordroom_pipeline.formats.trajectories import read_trajectories, write_corpus

    if not name.count("/") == 1:
        raise click.BadParameter("write ORG/NAME", param_hint="--into")
    folder = project.specs / name
    report = write_corpus(read_trajectories(file.read_bytes(), path=str(file)), folder)
    if as_json:
        _print_json(report.as_json())
        return
    for line in report.lines():
        click.echo(line)
    if not (folder / "SPEC.md").is_file():
        click.echo(f"next: write {project.shown(folder / 'SPEC.md')}, then `recordroom run {name}`", err=True)


@main.group(context_settings=CONTEXT)
def recording() -> None:
    """Answers written by people, replayed instead of a model."""


@recording.command("stamp", context_settings=CONTEXT)
@click.argument("name", metavar="ORG/NAME")
@_door
def recording_stamp(project: Project, name: str) -> None:
    """Tie each authored answer to the rule and evidence it was written for, by content.

    An answer without a `match` gets that of its eval in the version it names (`version`, else SPEC.md as it stands) and of its
    output as it stands now. Stamped answers are left alone: a changed rule or document needs a new answer, not a new stamp.

    \b
    Example:
      recordroom recording stamp recordroom/property-underwriting
    """
    from recordroom_pipeline.orchestration.stamping import stamp_recordings

    for line in stamp_recordings(project.spec(name)):
        click.echo(line)


if __name__ == "__main__":
    main()
