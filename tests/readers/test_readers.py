"""Hostile files are opened in processes of their own, which may hang, crash or eat memory without harm to the next file."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas

from recordroom_pipeline.evidence.model import Parsed
from recordroom_pipeline.evidence.parse import parse_bytes, text_of
from recordroom_pipeline.readers import MaterialJob, parse_materials
from recordroom_pipeline.readers.process import Failed, ReaderProcess


def pdf(text: str) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, invariant=True)
    canvas.drawString(72, 700, text)
    canvas.showPage()
    canvas.save()
    return out.getvalue()


def drawing(content: bytes) -> bytes:
    """A PDF of one page with this content stream."""
    packed = zlib.compress(content)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(packed), packed),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return (
        out + b"xref\n0 6\n0000000000 65535 f \n" + table + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(out)
    )


SLOW = drawing(b"BT /F1 9 Tf " + b"1 0 0 1 72 700 Tm (x) Tj " * 200_000 + b"ET")
FAT = drawing(b"BT /F1 9 Tf (" + b"x" * 70_000_000 + b") Tj ET")


def job(folder: Path, file: str, data: bytes) -> MaterialJob:
    path = folder / file
    path.write_bytes(data)
    return MaterialJob(path=path, file=file, name=path.stem)


def words(parsed: Parsed) -> list[str]:
    return [segment.text for segment in parsed.segments if segment.shown]


def test_documents_come_in_the_order_given_and_equal_those_read_here(tmp_path: Path) -> None:
    jobs = [
        job(tmp_path, "a.pdf", pdf("first")),
        job(tmp_path, "b.csv", b"Loc,TIV\n1,10\n"),
        job(tmp_path, "c.pdf", pdf("second")),
        job(tmp_path, "d.md", b"# Cover\n"),
        job(tmp_path, "e.dwg", b"x"),
    ]
    seen: list[str] = []

    found = parse_materials(jobs, progress=lambda done, _: seen.append(done.file))

    assert found == [parse_bytes(one.path.read_bytes(), file=one.file, name=one.name) for one in jobs]
    assert sorted(seen) == ["a.pdf", "b.csv", "c.pdf", "d.md", "e.dwg"]


def test_nothing_to_parse_is_nothing() -> None:
    assert parse_materials([]) == []


def test_long_markdown_is_read_in_a_process_with_the_same_result(tmp_path: Path) -> None:
    one = job(tmp_path, "long.md", b"| a | b |\n|---|---|\n" + b"| %s | $2 |\n" % (b"x" * 90) * 2_500)

    (found,) = parse_materials([one])

    assert found == parse_bytes(one.path.read_bytes(), file=one.file, name=one.name)


def test_a_file_that_takes_too_long_is_stopped_and_the_next_one_is_read(tmp_path: Path) -> None:
    jobs = [job(tmp_path, "slow.pdf", SLOW), job(tmp_path, "next.pdf", pdf("read all the same"))]

    slow, after = parse_materials(jobs, workers=1, timeout_s=4)

    assert (slow.document.status, slow.segments) == ("timeout", ())
    assert "longer than 4 s" in (slow.document.reason or "")
    assert words(after) == ["read all the same"]


def test_a_file_that_eats_memory_ends_its_process_only(tmp_path: Path) -> None:
    jobs = [job(tmp_path, "fat.pdf", FAT), job(tmp_path, "next.pdf", pdf("read all the same"))]

    fat, after = parse_materials(jobs, workers=1, memory_mb=190)

    assert fat.document.status == "error"
    assert "memory" in (fat.document.reason or "")
    assert words(after) == ["read all the same"]


def test_a_process_that_dies_between_two_files_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [job(tmp_path, f"{name}.pdf", pdf(name)) for name in "abc"]
    asked: list[ReaderProcess] = []
    ask = ReaderProcess.ask

    def ask_and_die(self: ReaderProcess, request: dict[str, object], timeout_s: float) -> Parsed | Failed:
        asked.append(self)
        answer = ask(self, request, timeout_s)
        self._process.kill()
        self._process.wait()
        return answer

    monkeypatch.setattr(ReaderProcess, "ask", ask_and_die)
    found = parse_materials(jobs, workers=1)

    assert [words(parsed) for parsed in found] == [["a"], ["b"], ["c"]]
    assert len(set(asked)) == 3


def test_a_process_answers_one_file_after_another(tmp_path: Path) -> None:
    reader = ReaderProcess(1024)
    try:
        answers = []
        for name in ("a", "b"):
            one = job(tmp_path, f"{name}.pdf", pdf(name))
            request = {"path": str(one.path), "file": one.file, "name": one.name, "encoding": None}
            answers.append(reader.ask(request, 60))
    finally:
        reader.close()

    assert [words(answer) for answer in answers if isinstance(answer, Parsed)] == [["a"], ["b"]]


def test_the_password_comes_from_the_environment_and_appears_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf("Roof replaced."))))
    writer.encrypt("s3cret", algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    one = job(tmp_path, "locked.pdf", out.getvalue())

    monkeypatch.delenv("RECORDROOM_PDF_PASSWORD", raising=False)
    (locked,) = parse_materials([one])
    monkeypatch.setenv("RECORDROOM_PDF_PASSWORD", "s3cret")
    (opened,) = parse_materials([one])

    assert locked.document.status == "encrypted"
    assert words(opened) == ["Roof replaced."]
    assert "s3cret" not in repr(opened)


def test_keys_of_models_do_not_reach_the_process_that_opens_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never")
    one = job(tmp_path, "a.txt", b"one\n")
    reader = ReaderProcess(1024)
    try:
        # An answer shows that the process is up: before, the system may still show it without any environment.
        assert isinstance(reader.ask({"path": str(one.path), "file": "a.txt", "name": "a", "encoding": None}, 60), Parsed)
        environment = Path(f"/proc/{reader._process.pid}/environ").read_bytes()
    finally:
        reader.close()

    assert b"sk-never" not in environment
    assert b"PATH=" in environment


NOISY = """
import runpy, sys
import recordroom_pipeline.evidence.parse as parse
decode = parse.decode
def noisy(*arguments):
    print("noise")
    return decode(*arguments)
parse.decode = noisy
sys.argv[1:] = ["1024"]
runpy.run_module("recordroom_pipeline.readers.worker", run_name="__main__")
"""


def test_what_a_library_prints_is_no_answer(tmp_path: Path) -> None:
    one = job(tmp_path, "a.txt", b"one\n")
    request = f'{{"path": "{one.path}", "file": "a.txt", "name": "a", "encoding": null, "cpu_s": 10}}\n'

    done = subprocess.run(
        [sys.executable, "-c", NOISY], input=request, capture_output=True, text=True, check=True, env=os.environ
    )

    assert done.stdout.count("\n") == 1
    assert done.stdout.startswith('{"document"')
    assert "noise" in done.stderr


def test_every_real_file_becomes_a_document(shared_fixtures: Path) -> None:
    paths = sorted((shared_fixtures / "materials").iterdir())
    found = parse_materials([MaterialJob(path=path, file=path.name, name=path.stem) for path in paths])

    assert len(found) == len(paths) > 100
    for path, parsed in zip(paths, found, strict=True):
        assert parsed.document.size == path.stat().st_size
        assert parsed.document.status not in ("error", "timeout"), path.name
        assert (parsed.document.status == "ok") == (parsed.document.reason is None)
        texts = {view: text_of(parsed, view) for view in {segment.view for segment in parsed.segments}}
        assert all(texts[one.view][one.char_start : one.char_end] == one.text for one in parsed.segments)
        assert len({(one.view, one.locator) for one in parsed.segments}) == len(parsed.segments)
        for page in {one.page for one in parsed.segments if one.page and one.view in ("flow", "layout")}:
            assert len({one.view for one in parsed.segments if one.page == page and one.shown}) <= 1
