"""The service as it is, but for its escalations: what they call a minute is a second."""

from __future__ import annotations

from datetime import timedelta
from unittest.mock import patch

from assent_service.__main__ import main
from assent_service.control import escalations


def seconds(*, minutes: int) -> timedelta:
    return timedelta(seconds=minutes)


if __name__ == "__main__":
    with patch.object(escalations, "timedelta", seconds):
        raise SystemExit(main())
