"""Where a command's answer goes: JSON when asked, tab-separated lines in a pipe, a table on a terminal.

With --json there is exactly one JSON document on standard output and nothing else; remarks go to standard error.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

import msgspec

from assent.cli.text import harmless_json, tab_separated, table


class Output:
    """One command's output. `json` is the command's flag."""

    def __init__(self, *, json: bool) -> None:
        self.json = json

    @property
    def terminal(self) -> bool:
        return not self.json and sys.stdout.isatty()

    @property
    def interactive(self) -> bool:
        """Somebody sits there and can answer."""
        return self.terminal and sys.stdin.isatty()

    def rows(self, document: object, header: Sequence[str], rows: Sequence[Sequence[object]], empty: str) -> None:
        """A list: `document` is its JSON; `empty` is said to people when there are no rows."""
        if self.json:
            self.document(document)
        elif not self.terminal:
            print(*tab_separated(header, rows), sep="\n")
        elif rows:
            print(*table(header, rows, shutil.get_terminal_size().columns), sep="\n")
        else:
            print(empty)

    def lines(self, document: object, *lines: str) -> None:
        """One thing: `document` is its JSON, `lines` say the same to people."""
        if self.json:
            self.document(document)
        else:
            print(*lines, sep="\n")

    def document(self, document: object) -> None:
        print(harmless_json(msgspec.json.encode(document).decode()), flush=True)

    def remark(self, text: str) -> None:
        """Something beside the answer; never on standard output when that is JSON or a pipe."""
        print(text, file=sys.stdout if self.terminal else sys.stderr, flush=True)
