"""`assent-hook`: a coding assistant asks before each tool call, and says afterwards what came of it.

The host starts one process for each call, so this package imports the standard library alone and as little of it as it
can; what it sends is what `assent.contract` describes.
"""

EVENTS = ("pre-tool", "post-tool")


def main() -> int:
    """The command. Exit codes are the host's: 0 with a verdict on standard output or none, 2 blocks."""
    try:
        from assent.hooks.process import run

        return run()
    except BaseException:  # noqa: BLE001  # an installation that is broken must not be taken for a yes
        return 2
