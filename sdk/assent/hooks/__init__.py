"""`assent-hook`: a coding assistant asks before each tool call, and says afterwards what came of it.

The host starts one process for each call, so this package imports the standard library alone and as little of it as it
can; what it sends is what `assent.contract` describes.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

EVENTS = ("pre-tool", "post-tool")


def main() -> "NoReturn":
    """The command. Exit codes are the host's: 0 with a verdict on standard output or none, 2 blocks.

    The process ends at once: all that it says is written by then, and what an interpreter tidies up at its end takes
    longer than the question."""
    try:
        from assent.hooks.process import run

        code = run()
    except BaseException:  # noqa: BLE001  # an installation that is broken must not be taken for a yes
        code = 2
    os._exit(code)
