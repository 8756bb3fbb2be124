"""`assent scan`: files, or standard input, looked through for prompt injections and secrets,
offline.

No service is asked. The texts that an operator allows are with the service, so they count here like any other.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path
from types import ModuleType
from typing import Annotated, cast

import typer

from assent.cli.failures import Exit, reporting
from assent.cli.output import Output, Progress
from assent.cli.scan.pieces import Binary, DecodedText
from assent.cli.scan.report import HEADER, headline, lines, remarks, row, secret_row, verdict
from assent.cli.scan.result import FileScan, ScannedFile
from assent.cli.serve import extra_module
from assent.cli.text import clean, fit, tab_separated
from assent.contract.control.injection import ScanRecommendation

STANDARD_INPUT = "-"
LARGE = 4_000_000
"""Bytes of a file whose progress is shown."""
MEGABYTE = 1_000_000
ENDS = {ScanRecommendation.ALLOW: Exit.OK, ScanRecommendation.WARN: Exit.WARNED, ScanRecommendation.BLOCK: Exit.BLOCKED}


def register(app: typer.Typer) -> None:
    app.command("scan")(scan)


def scan(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files of text; - reads standard input.")],
    source: Annotated[
        str,
        typer.Option(
            help="Where the text came from: user_input, system_prompt, tool_output, document, web_page, email... "
            "What others brought weighs more."
        ),
    ] = "user_input",
    secrets: Annotated[
        bool, typer.Option("--secrets", help="Look for keys, tokens and passwords too; one makes a warning of allow.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON document a file, each on its line.")] = False,
) -> None:
    """Look for prompt injections in texts, offline. The worst verdict makes the code: 0 allow, 6 warn, 7 block; 2 when
    a file could not be read and no other is blocked. In a pipe tab-separated lines, a finding each."""
    with reporting():
        engine = extra_module("assent_analytics.injection", "`assent scan`", "analytics")
        output = Output(json=json)
        if not output.json and not output.terminal:
            with _heard():
                print(*tab_separated(HEADER, []), flush=True)
        code = _worst([_one(engine, output, file, source, secrets=secrets) for file in files])
        if code is not Exit.OK:
            raise typer.Exit(code)


def _one(engine: ModuleType, output: Output, file: str, source: str, *, secrets: bool) -> Exit:
    try:
        with _opened(file) as stream, _progress(file, stream) as told:
            found, reading = FileScan(secrets=secrets), DecodedText(stream, told)
            for piece in reading.pieces():
                found.add(piece, engine.scan(piece.text, source))
    except Binary as error:
        return _failed(f"{clean(file)} cannot be scanned: {error}; take its text out of it first")
    except OSError as error:
        hint = "; give the files in it" if isinstance(error, IsADirectoryError) else ""
        return _failed(f"{clean(file)} cannot be read: {error.strerror or error}{hint}")
    summary = found.summary(file, source, engine.VERSION, reading)
    with _heard():
        _show(output, summary, found)
    code = ENDS[summary.recommendation]
    return Exit.WARNED if code is Exit.OK and summary.secrets else code


def _show(output: Output, file: ScannedFile, found: FileScan) -> None:
    if output.json:
        output.document(file)
        return
    if output.terminal:
        print(headline(file), *lines(file, found), sep="\n", flush=True)
    else:
        output.remark(verdict(file))
        rows = [row(file, one) for one in file.findings] + [secret_row(file, one) for one in file.secrets or ()]
        if rows:
            print(*tab_separated(HEADER, rows)[1:], sep="\n", flush=True)
    for said in remarks(file):
        output.remark(f"  {said}")


def _failed(why: str) -> Exit:
    """One file that could not be read; the others still are."""
    print(f"Error: {why}", file=sys.stderr, flush=True)
    return Exit.USAGE


def _worst(codes: Sequence[Exit]) -> Exit:
    """What was not read is not known to be harmless, so it comes before a warning."""
    return next((code for code in (Exit.BLOCKED, Exit.USAGE, Exit.WARNED) if code in codes), Exit.OK)


@contextmanager
def _opened(file: str) -> Generator[BufferedIOBase]:
    if file == STANDARD_INPUT:
        if sys.stdin.isatty():
            print("Reading what you type; Ctrl-D on an empty line ends it.", file=sys.stderr)
        yield cast(BufferedIOBase, sys.stdin.buffer)
        return
    with Path(file).open("rb") as stream:
        yield stream


@contextmanager
def _progress(file: str, stream: BufferedIOBase) -> Generator[Callable[[int], None]]:
    """What is told of a large file, whose size is known."""
    size = os.fstat(stream.fileno()).st_size if file != STANDARD_INPUT else 0
    if size < LARGE:
        yield lambda _: None
        return
    progress = Progress(f"{fit(clean(Path(file).name), 40)}, megabytes", size // MEGABYTE)
    try:
        yield lambda read: progress.reach(read // MEGABYTE, size // MEGABYTE)
    finally:
        progress.finish()


@contextmanager
def _heard() -> Generator[None]:
    """Whoever reads may have gone (`assent scan ... | head`); the code still has to say what was found."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
