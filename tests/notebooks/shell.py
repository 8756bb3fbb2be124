"""A notebook's cells, one after the other in a shell of IPython, without a kernel: `python shell.py NAME FOLDER`.

The executed copy goes to FOLDER. A process that has loaded what notebooks import forks it, so that it costs what its
cells do. In a kernel, as people run them, all notebooks are run by `run.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from IPython.core.displayhook import CapturingDisplayHook
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbformat.v4 import new_output
from traitlets.config import Config

from tests.notebooks.run import paired, sources, written


def main(name: str, folder: Path) -> None:
    (source,) = sources([name])
    notebook = paired(source)
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    shell.display_pub = CapturingDisplayPublisher()
    shown = shell.display_pub.outputs
    shell.display_trap.hook = CapturingDisplayHook(shell, shown)
    for cell in notebook.cells:
        if cell["cell_type"] != "code":
            continue
        shown.clear()
        with capture_output(display=False) as said:
            done = shell.run_cell(cell["source"])
        texts = [("stdout", said.stdout), ("stderr", said.stderr)]
        cell["outputs"] = [new_output("stream", name=of, text=text) for of, text in texts if text]
        cell["outputs"] += [new_output("display_data", data=each["data"]) for each in shown]
        done.raise_error()
    (folder / f"{name}.ipynb").write_text(written(notebook), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
