"""`python -m tests.engine.hasty_escalation`: a replica that escalates an hour too early, while its home has a file
`due`, looks all the time, and takes every turn for its own, as if a lease were held twice."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

from assent_service import serve
from assent_service.control import escalations
from assent_service.store.leases import Turn

EARLY = timedelta(hours=1)
DUE = Path(os.environ["ASSENT_HOME"]) / "due"
_due = escalations.due


async def _ours(_: Turn) -> bool:
    return True


if __name__ == "__main__":
    with (
        patch.object(
            escalations, "due", lambda asked, steps, now: (DUE.exists() and _due(asked, steps, now + EARLY)) or None
        ),
        patch.object(escalations, "LOOK_SECONDS", 0.01),
        patch.object(Turn, "is_ours", _ours),
    ):
        serve.run()
