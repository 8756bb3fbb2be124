"""A notebook's cells, one after the other in a shell of IPython, without a kernel: `python shell.py NAME FOLDER`.

The executed copy goes to FOLDER. A process that has loaded what notebooks import forks it, so that it costs what its
cells do. In a kernel, as people run them, all notebooks are run by `run.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from IPython.core.displayhook import CapturingDisplayHook
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbformat import from_dict
from traitlets.config import Config

from tests.notebooks.run import paired, sources, written


def main(name: str, folder: Path) -> None:
    (source,) = sources([name])
    notebook = paired(source)
    shell: Any = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    shell.display_pub = CapturingDisplayPublisher()  # type: ignore[no-untyped-call]  # not typed there
    shown = shell.display_pub.outputs
    shell.display_trap.hook = CapturingDisplayHook(shell, shown)  # type: ignore[no-untyped-call]  # not typed there
    for cell in notebook.cells:
        if cell["cell_type"] != "code":
            continue
        shown.clear()
        with capture_output(display=False) as said:
            done = shell.run_cell(cell["source"])
        texts = [("stdout", said.stdout), ("stderr", said.stderr)]
        made: list[dict[str, Any]] = [{"output_type": "stream", "name": of, "text": text} for of, text in texts if text]
        made += [{"output_type": "display_data", "metadata": {}, "data": each["data"]} for each in shown]
        cell["outputs"] = from_dict(made)  # type: ignore[no-untyped-call]  # not typed there
        done.raise_error()
    (folder / f"{name}.ipynb").write_text(written(notebook), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
