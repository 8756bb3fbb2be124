"""The command line: `assent`. One file per group of commands."""

from __future__ import annotations


def main() -> None:
    """Run the command that the process was started with, and end the process with its exit code."""
    from assent.cli.app import app

    app()
