"""The dashboard as a person waits for it, in Chromium, with a million actions behind it.

    python -m tests.benchmarks.dashboard [--actions 1000000] [--home FOLDER] [--rounds 5] [--reruns 500] [--part NAME]

Parts: `pages`, for every page of the navigation: the address is entered, until there is content and until all is drawn;
the same by a click from another page, in a tab that has seen it; a rerun, which is what Streamlit does after every
click. `elsewhere`: an approval that is made or decided by an API call, until it is on an open page or has left it.
`memory`: what the dashboard's process holds after so many reruns. Goals: content within 1.5 s, a rerun within 0.4 s, an
approval within 1.5 s. The home is simulated once and kept in the folder for temporary files.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from playwright.sync_api import Page

from assent import Client
from assent_dashboard.entries import ENTRIES
from tests.benchmarks.dashboard_waits import reruns, resident_megabytes, visit, walk, watch
from tests.dashboard.browser.chromium import find_chromium, open_browser
from tests.dashboard.browser.dashboard import PATIENCE_MS, Operator, dashboard_process, operator_desk
from tests.live import WAIT, start_service

PARTS = ("pages", "elsewhere", "memory")
MARKS = (50, 100)
"""Reruns after which memory is read, beside the last one; growth counts from the second mark on."""
APPROVALS = 20


def home(actions: int) -> Path:
    """A simulated data folder of so many actions, made when it is not there."""
    folder = Path(tempfile.gettempdir()) / f"assent-bench-simulated-{actions}"
    if not (folder / "admin.key").exists():
        command = [sys.executable, "-c", "from assent.cli import main; main()", "simulate"]
        subprocess.run([*command, "--home", str(folder), "--actions", str(actions), "--agents", "50"], check=True)
    return folder


def of_pages(desk: Operator, served: int, rounds: int) -> None:
    names = list(ENTRIES)
    heads = ("entered: content", "all", "again: content", "all", "rerun")
    print(f"{'milliseconds':14}" + "".join(f"{head:>20}" for head in heads) + f"{'service':>12}")
    print(f"{'':14}" + f"{'p50':>12}{'max':>8}" * len(heads) + f"{'MB':>12}")
    for number, name in enumerate(names):
        path, other = _path(name), _path(names[(number + 1) % len(names)])
        first, second = [], []
        for _ in range(rounds):
            first.append(visit(desk.page, desk.address, path))
        for _ in range(rounds):
            walk(desk.page, other)
            second.append(walk(desk.page, path))
        again = reruns(desk.page, rounds)
        columns = [[each[0] for each in first], [each[1] for each in first]]
        columns += [[each[0] for each in second], [each[1] for each in second], again]
        cells = (f"{statistics.median(taken):>12.0f}{max(taken):>8.0f}" for taken in columns)
        print(f"{name:14}" + "".join(cells) + f"{resident_megabytes(served):>12.0f}", flush=True)


def _path(name: str) -> str:
    """The first page lives at `/` alone."""
    return "/" if name == next(iter(ENTRIES)) else f"/{name}"


def elsewhere(page: Page, address: str, client: Client, rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds until a new approval shows, and until one that was decided has gone."""
    if "Benchmark" not in {policy.name for policy in client.get_policies().policies}:
        client.create_policy("Benchmark", "require_approval", {"action_types": ["benchmark_release"]})
    # The page keeps the request that it is on, and says how it ended: so it is on one that stays.
    client.create_action("benchmark_release", "It stays", agent_id="benchmark")
    visit(page, address, "/approvals?agent_id=benchmark")
    time.sleep(8)  # until the feed trusts its stream
    shown, left = [], []
    for number in range(rounds):
        time.sleep(0.137 * (number % 8))  # at every phase of the page's own clock
        created = client.create_action("benchmark_release", f"Release {number}", agent_id="benchmark")
        began = time.perf_counter()
        row = page.locator(f"#inbox-option-{created.action_id}")
        row.wait_for(state="visible")
        shown.append((time.perf_counter() - began) * 1000)
        client.approve_action(created.action_id, "allow", "measured")
        began = time.perf_counter()
        row.wait_for(state="detached")
        left.append((time.perf_counter() - began) * 1000)
    return shown, left


def of_memory(desk: Operator, pid: int, path: str, count: int) -> None:
    """With one page open; nothing else happens meanwhile."""
    visit(desk.page, desk.address, path)
    done, held = 0, {0: resident_megabytes(pid)}
    for mark in sorted({*(mark for mark in MARKS if mark < count), count}):
        reruns(desk.page, mark - done, pause=0.05)
        done, held[mark] = mark, resident_megabytes(pid)
    said = ", ".join(f"{megabytes:.0f} after {mark}" for mark, megabytes in held.items())
    print(f"{path:14}{said} reruns", end="")
    if count > MARKS[-1]:
        grown = (held[count] - held[MARKS[-1]]) / (count - MARKS[-1])
        print(f"; {grown * 1024:.1f} KiB each over the last {count - MARKS[-1]}", end="")
    print(flush=True)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="dashboard")
    parser.add_argument("--actions", type=int, default=1_000_000)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--reruns", type=int, default=500)
    parser.add_argument("--part", choices=PARTS, action="append")
    given = parser.parse_args(arguments)
    executable = find_chromium()
    if executable is None:
        raise SystemExit("This benchmark needs chromium: apt-get install chromium")
    parts = given.part or PARTS
    folder = given.home or home(given.actions)
    key = (folder / "admin.key").read_text(encoding="ascii").strip()
    with (
        start_service(folder, wait=4 * WAIT) as served,
        dashboard_process(served.base_url) as (address, pid),
        tempfile.TemporaryDirectory() as scratch,
        open_browser(executable, Path(scratch) / "net.json") as browser,
        operator_desk(browser, address) as desk,
        Client(base_url=served.base_url, api_key=key) as client,
    ):
        began = resident_megabytes(pid)
        watch(desk.page)
        desk.page.set_default_timeout(2 * PATIENCE_MS)
        desk.sign_in(key)
        print(f"{client.get_actions(limit=1).total} actions; {began:.0f} MB before anybody looked", flush=True)
        if "pages" in parts:
            of_pages(desk, served.process.pid, given.rounds)
        if "elsewhere" in parts:
            shown, left = elsewhere(desk.page, address, client, APPROVALS)
            print(f"milliseconds   {'p50':>8}{'max':>8}   {APPROVALS} approvals")
            for name, took in (("asked, shown", shown), ("decided, gone", left)):
                print(f"{name:14} {statistics.median(took):8.0f}{max(took):8.0f}", flush=True)
        if "memory" in parts:
            print("megabytes of the dashboard's process")
            for path in _heaviest():
                of_memory(desk, pid, path, given.reruns)


def _heaviest() -> Iterable[str]:
    """A page of cards and one of pictures."""
    return ("/approvals", "/ledger")


if __name__ == "__main__":
    main(sys.argv[1:])
