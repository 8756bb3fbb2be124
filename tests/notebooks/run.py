"""`make notebooks`: every notebook made from its `.py` and run against a simulated workspace of its own.

    python -m tests.notebooks.run [--out FOLDER] [--actions N] [NAME ...]

The `.ipynb` beside each `.py` is written anew, without outputs; the executed copies go to FOLDER.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import jupytext
import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode

from tests.live import ROOT, start_service

FOLDER = ROOT / "notebooks"
SECONDS = 300
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def sources(names: list[str]) -> list[Path]:
    """The notebooks of these names, all of them without any."""
    found = sorted(FOLDER.glob("[0-9]*.py"))
    return [file for file in found if not names or file.stem in names]


def paired(source: Path) -> NotebookNode:
    """The notebook of a percent file: the same cells, no outputs, ids that stay the same from one time to the next."""
    notebook: NotebookNode = jupytext.read(source)
    notebook["metadata"] = nbformat.from_dict({"kernelspec": KERNEL})  # type: ignore[no-untyped-call]  # not typed there
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:02d}"
    return notebook


def written(notebook: NotebookNode) -> str:
    """The text of its `.ipynb`."""
    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]  # not typed there
    return text + "\n"


@contextmanager
def workspace(actions: int) -> Iterator[dict[str, str]]:
    """A service on a simulated history; what a notebook needs in its environment to reach it."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        subprocess.run(
            [Path(sys.executable).with_name("assent"), "simulate", "--home", str(home), "--actions", str(actions)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        # The settings of `make start`: none. Those that stories run with look for no drift.
        (home / "assent.toml").write_text("")
        with start_service(home) as service:
            key = (home / "admin.key").read_text(encoding="ascii").strip()
            yield {
                "ASSENT_BASE_URL": service.base_url,
                "ASSENT_API_KEY": key,
                # What a notebook copies of a service that is gone a minute later is of no use to anybody.
                "ASSENT_CACHE": str(Path(folder) / "cache"),
            }


def run(source: Path, out: Path) -> float:
    """Write the pair, execute a copy into `out`; the seconds it took. Raises CellExecutionError."""
    notebook = paired(source)
    source.with_suffix(".ipynb").write_text(written(notebook), encoding="utf-8")
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as sockets:
        # Sockets in a folder of ours rather than open ports: what a notebook shows is nobody else's business.
        manager = KernelManager(kernel_name="python3", transport="ipc", ip=f"{sockets}/kernel")
        client = NotebookClient(notebook, km=manager, timeout=SECONDS, resources={"metadata": {"path": FOLDER}})
        try:
            client.execute()
        finally:
            manager.shutdown_kernel(now=True)
    (out / f"{source.stem}.ipynb").write_text(written(notebook), encoding="utf-8")
    return time.monotonic() - began


def main() -> None:
    parser = argparse.ArgumentParser(prog="make notebooks")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--out", type=Path, default=FOLDER / "executed")
    parser.add_argument("--actions", type=int, default=2000)
    given = parser.parse_args()
    chosen = sources(given.names)
    if not chosen:
        raise SystemExit(f"there is no such notebook; there are {', '.join(file.stem for file in sources([]))}")
    given.out.mkdir(parents=True, exist_ok=True)
    print(f"simulating a workspace of {given.actions} actions", flush=True)
    with workspace(given.actions) as environment:
        os.environ.update(environment)
        for source in chosen:
            print(f"{source.stem} ... ", end="", flush=True)
            print(f"{run(source, given.out):.1f} s", flush=True)


if __name__ == "__main__":
    main()
