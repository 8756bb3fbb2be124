"""Parts of the product that a plain install leaves out: how somebody who misses one adds it."""

from __future__ import annotations

import sys


def to_install(extra: str) -> str:
    """The command that adds the extra to the Python that runs. Another Python, where Assent is not, would look for the
    name on the public index."""
    from shlex import quote

    return f"{quote(sys.executable or 'python')} -m pip install 'assent[{extra}]'"
