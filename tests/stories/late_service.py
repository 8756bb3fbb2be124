"""The service, an hour later than it is: for what time ends."""

from __future__ import annotations

import time

from assent_service.__main__ import main

HOUR_NS = 3_600_000_000_000

if __name__ == "__main__":
    tell = time.time_ns
    time.time_ns = lambda: tell() + HOUR_NS
    raise SystemExit(main())
