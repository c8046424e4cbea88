"""How the command line shows things: tables, progress and the report of a run, as text that reads the same in a file."""

from __future__ import annotations

import csv
import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from recordroom_pipeline.orchestration.resources import LOG_EVERY_S, Progress

if TYPE_CHECKING:
    from recordroom_pipeline.orchestration.report import EvalReport, RunReport, VersionReport
    from recordroom_pipeline.store.files import Project


class CliProgress(Progress):
    """A counter on a terminal; elsewhere a line every ten seconds."""

    def step(self, what: str, log: Callable[[str], None]) -> Callable[[int, int], None]:
        started = time.monotonic()
        shown = started - (1.0 if sys.stderr.isatty() else 0.0)

        def report(done: int, total: int) -> None:
            nonlocal shown
            now = time.monotonic()
            terminal = sys.stderr.isatty()
            if now - shown < (0.1 if terminal else LOG_EVERY_S) and not (terminal and done == total):
                return
            shown = now
            line = f"{what}: {done:,} of {total:,}, {now - started:.0f} s"
            click.echo(f"\r{line}\033[K" if terminal else line, err=True, nl=not terminal or done == total)

        return report


def print_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]], form: str) -> None:
    """A query's result as a table, CSV or JSON."""
    if form == "json":
        click.echo(
            json.dumps([dict(zip(columns, row, strict=True)) for row in rows], ensure_ascii=False, indent=2, default=str)
        )
    elif form == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    else:
        for line in table(columns, [[_cell(value) for value in row] for row in rows]):
            click.echo(line)
        click.echo(f"({len(rows):,} {'row' if len(rows) == 1 else 'rows'})", err=True)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value).replace("\n", " ⏎ ")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Aligned columns: numbers to the right, words to the left.

    >>> table(["eval", "n"], [["tiv-sum", "8"], ["itv", "12"]])
    ['eval      n', 'tiv-sum   8', 'itv      12']
    """
    columns = list(zip(header, *rows, strict=True))
    widths = [max(len(cell) for cell in column) for column in columns]
    numeric = [all(_is_number(cell) for cell in column[1:]) and len(column) > 1 for column in columns]
    return [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width) for cell, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in (header, *rows)
    ]


def _is_number(cell: str) -> bool:
    return cell in ("–", "") or cell.replace(".", "", 1).replace(",", "").lstrip("-").isdigit()


def print_report(project: Project, report: RunReport) -> None:
    """What `recordroom run` ends with."""
    for line in report_lines(project, report):
        click.echo(line)


def report_lines(project: Project, report: RunReport) -> list[str]:
    """The report of a run as lines: what was judged by whom, verdicts, precision, flips, files."""
    lines = [*_head(report), "", *_versions(report.versions)]
    lines += ["", *(_verdicts(report.versions[0]) if len(report.versions) == 1 else _verdicts_by_version(report.versions))]
    if report.precision:
        lines += ["", *_precision(report)]
    for diff in report.flips:
        lines += ["", *_flips(diff)]
    return [*lines, "", *_files(project, report)]


def _head(report: RunReport) -> list[str]:
    return [
        report.name,
        f"  corpus    {report.corpus}",
        f"  evidence  {report.documents_parsed:,} documents parsed, {report.documents_reused:,} known from before",
        f"  judge     {report.judge_line}",
        f"  verdicts  {report.judged:,} judged, {report.reused:,} taken over: same rule, same evidence{_nothing_new(report)}",
    ]


def _nothing_new(report: RunReport) -> str:
    return "; nothing to judge again" if report.reused and not report.judged else ""


def _versions(versions: Sequence[VersionReport]) -> list[str]:
    rows = [
        [version.key, "draft" if version.draft else "adopted", version.run or f"none: {version.missing:,} verdicts are missing"]
        for version in versions
    ]
    return ["Versions", *("  " + row for row in table(["version", "status", "run"], rows))]


def _verdicts(version: VersionReport) -> list[str]:
    if not version.evals:
        return [f"No verdicts of {version.key}: the corpus has no outputs yet"] if not version.missing else []
    header = ["eval", "severity", "by", "pass", "fail", "n/a", "too little evidence", "unjudged"]
    rows = [[line.eval, line.severity, line.by, *(str(line.counts[label]) for label in line.LABELS)] for line in version.evals]
    return [f"Verdicts of {version.key}", *("  " + row for row in table(header, rows))]


def _verdicts_by_version(versions: Sequence[VersionReport]) -> list[str]:
    lines = {line.eval: line for version in versions for line in version.evals}
    rows = []
    for eval_id, newest in lines.items():
        mine = [next((line for line in version.evals if line.eval == eval_id), None) for version in versions]
        rows.append([eval_id, newest.severity, newest.by, *(_counts(line) for line in mine)])
    header = ["eval", "severity", "by", *(version.key for version in versions)]
    unjudged = any(line.counts["not_judgeable"] for version in versions for line in version.evals)
    title = "Verdicts: pass / fail / na" + (" / unjudged" if unjudged else "")
    return [title, *("  " + row for row in table(header, rows))]


def _counts(line: EvalReport | None) -> str:
    if line is None:
        return "–"
    na = line.counts["not_applicable"] + line.counts["insufficient_evidence"]
    unjudged = f" / {line.counts['not_judgeable']}" if line.counts["not_judgeable"] else ""
    return f"{line.counts['pass']:>2} / {line.counts['fail']:>2} / {na:>2}{unjudged}"


def _precision(report: RunReport) -> list[str]:
    header = ["eval", "version", "n", "precision", "95% interval", "agreement", "reviews"]
    rows = [
        [
            line.eval,
            line.version,
            str(line.n),
            _share(line.precision),
            f"{line.low:.2f} to {line.high:.2f}" if line.low is not None and line.high is not None else "–",
            _share(line.agreement),
            str(line.reviews),
        ]
        for line in report.precision
    ]
    title = f"Precision: share of reviewed verdicts that experts agree with, after batch {report.batch}"
    return [title, *("  " + row for row in table(header, rows))]


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _flips(diff: Any) -> list[str]:
    head = f"Flips {diff.before} → {diff.after}: {len(diff.flips) or 'none'} of {diff.compared:,} verdicts compared"
    if not diff.flips:
        return [head]
    rows = [[flip.eval, flip.output, f"{flip.before} → {flip.after}", flip.mark] for flip in diff.flips]
    return [f"{head} ({diff.marks})", *("  " + row for row in table(["eval", "output", "verdict", "mark"], rows))]


def _files(project: Project, report: RunReport) -> list[str]:
    rows = [["run.json", path] for path in report.run_files]
    rows += [["Parquet", project.shown(project.tables) + "/<table>/"], ["DuckDB", project.shown(project.database)]]
    lines = [f"  {name.ljust(9)} {path}" for name, path in rows]
    ask = 'recordroom sql "select eval, verdict, count(*) from latest_verdicts group by all"'
    return ["Files", *lines, f"  ask       {ask}", "", f"done in {report.seconds:.1f} s"]
