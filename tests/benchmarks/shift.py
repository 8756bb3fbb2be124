"""A shift at the inbox of approvals: three operators, two agents that ask and take back, a restart of the service in
the middle, and a network that one operator loses for twenty seconds.

    python -m tests.benchmarks.shift [--requests 200] [--offline 20] [--every 1.0] [--seed 1]

Nothing is asserted; `open`, `doubled`, `misdirected`, `lost`, `untold` and `unanswered` are to be 0
(`tests/dashboard/browser/shift.py` says what they are).
"""

from __future__ import annotations

import argparse
import dataclasses
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.dashboard.browser.chromium import find_chromium, open_browser
from tests.dashboard.browser.dashboard import running_dashboard
from tests.dashboard.browser.shift import Shift
from tests.live import start_service


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--offline", type=float, default=20.0)
    parser.add_argument("--every", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args(given)
    executable = find_chromium()
    if executable is None:
        raise SystemExit("This needs chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder, open_browser(executable, Path(folder) / "net.json") as browser:
        service = start_service(Path(folder) / "home")
        shift = Shift(
            service,
            "",
            browser,
            requests=wanted.requests,
            every=wanted.every,
            offline=wanted.offline,
            seed=wanted.seed,
        )
        try:
            with running_dashboard(service.base_url) as shift.address:
                found = shift.work()
        finally:
            shift.service.stop()
    for name, value in dataclasses.asdict(found).items():
        print(
            f"{name.replace('_', ' '):12} {value:.0f}"
            if isinstance(value, float)
            else f"{name.replace('_', ' '):12} {value}"
        )


if __name__ == "__main__":
    main()
