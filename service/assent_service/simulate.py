"""Filling a new data folder with a simulated history while no service uses it. Everything in it has the source
`simulated`.

It is made in a folder within the data folder, and moved into its place when it is complete: an attempt that fails or
is interrupted leaves nothing. The organization, its admin key and its policies are made by the service itself, as on a
first start. Then the history goes straight into the log, in the order in which it happened, and the tables are built
from the log at the end, which is much quicker than following it.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Semaphore

import msgspec

from assent.contract.control.policies import ImportPolicies
from assent_analytics.simulate import POLICIES, History, simulate
from assent_service import rebuild
from assent_service.analysis.simulation import SimulatedEvidence, SimulatedWorkspace, happen, slices, told_sessions
from assent_service.app import build
from assent_service.base.clock import moment, system_clock
from assent_service.control.flows import FILE as FLOW_KEY_FILE
from assent_service.core.settings import Settings, load
from assent_service.serve import KEY_FILE, write_secret
from assent_service.store.folder_version import FILE as VERSION_FILE
from assent_service.store.lock import FolderLock
from assent_service.store.log import Log, Submission, WriteResult
from assent_service.store.projection import hold_events

WAITING = 6
"""How many approvals wait at the end in any case, from three minutes to most of a day old."""
AT_ONCE = 4096
"""Happenings that are recorded in one write."""
UNDER_WAY = 4
"""Writes that are made before the oldest is durable."""
OBSERVED = {"name": "Ask where a value came from", "policy_type": "flow", "mode": "observe", "rules": {}}
"""As a new organization has it. It is made after the policies of the simulation, whose places are bits of what
matched."""
MADE = (KEY_FILE, FLOW_KEY_FILE, "log", "tree", "tables.duckdb", VERSION_FILE)
"""What is moved into place, in this order: a key without a log is made anew, a log without its keys is of no use to
anybody; and a log without tables is complete, tables without a log are not."""
WORK = ".simulating-"
"""How the names of folders begin in which a history is being made."""

Progress = Callable[[int, int], None]


class NotEmpty(Exception):
    """The data folder holds a history already."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """`waiting` approvals wait for somebody; `source` is what every row says."""

    home: str
    admin_key_file: str
    seed: int
    agents: int
    days: int
    actions: int
    approvals: int
    waiting: int
    assumptions: int
    events: int
    seconds: float
    source: str


def run(
    home: Path,
    *,
    seed: int = 7,
    agents: int = 6,
    days: int = 30,
    actions: int = 2000,
    progress: Progress = lambda _done, _total: None,
) -> Report:
    """Simulate the `days` before now into `home`, whose log must be empty; `progress` gets steps done and in all.

    Raises `ValueError` for numbers that cannot be, `NotEmpty`, `SettingsError`, `OSError` for a disk that takes no
    more, and what the log raises for a folder that is in use.
    """
    began = time.monotonic()
    until = moment(system_clock())
    history = simulate(seed, until=until, agents=agents, days=days, actions=actions, waiting=min(WAITING, actions))
    with _apart(home) as work:
        settings = msgspec.structs.replace(load(os.environ, home=str(home)), home=str(work))
        workspace = asyncio.run(_begin(settings))
        _record(work, workspace, history, lambda done, total: progress(done, 2 * total))
        built = rebuild.run(work, lambda done, total: progress(total + done, 2 * total))
        _move(work, home)
    return Report(
        home=str(home),
        admin_key_file=str(home / KEY_FILE),
        seed=seed,
        agents=agents,
        days=days,
        actions=len(history.actions),
        approvals=len(history.approvals),
        waiting=history.approvals["decided_at"].null_count(),
        assumptions=len(history.assumptions),
        events=built.events,
        seconds=time.monotonic() - began,
        source="simulated",
    )


@contextmanager
def _apart(home: Path) -> Generator[Path]:
    """A folder of its own within `home`, which is ours meanwhile; whatever is left in it goes at the end.

    Raises NotEmpty and FolderOwned. A home that was not there before does not stay when it failed, unless somebody else
    has begun to use it.
    """
    new = _make(home)
    with FolderLock.take(home):
        if _has_history(home):
            raise NotEmpty(
                f"{home} holds a history already, and a simulated one is never mixed with another; give --home "
                "with a new folder, or remove this one if all in it is simulated"
            )
        for dead in home.glob(f"{WORK}*"):
            # Of an attempt that was killed: the lock says that nobody works there.
            shutil.rmtree(dead, ignore_errors=True)
        work = Path(tempfile.mkdtemp(prefix=WORK, dir=home))
        try:
            yield work
        except BaseException:
            if new:
                shutil.rmtree(home, ignore_errors=True)
            raise
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _make(home: Path) -> bool:
    """Whether `home` was made just now."""
    home.parent.mkdir(parents=True, exist_ok=True)
    try:
        home.mkdir(mode=0o700)
    except FileExistsError:
        if not home.is_dir():
            raise
        return False
    return True


def _has_history(home: Path) -> bool:
    """Whether the log holds anything, or the tables do: those are all that is left of it when a log is lost."""
    if any(path.stat().st_size for path in home.glob("log/*")):
        return True
    return hold_events(home / "tables.duckdb")


async def _begin(settings: Settings) -> SimulatedWorkspace:
    """The organization, its key, and the policies of the simulation in the place of the usual ones."""
    service = build(settings)
    try:
        service.ledger.start()
        created = await service.organizations.bootstrap(settings.admin_key)
        assert created is not None, "an empty log has no organization yet"
        write_secret(Path(settings.home) / KEY_FILE, created.api_key)
        principal = service.keys.authenticate(created.api_key)
        assert principal is not None, "the key was made just now"
        for policies, replace in ((list(POLICIES), True), ([OBSERVED], False)):
            pack = json.dumps({"version": 1, "policies": policies})
            await service.policies.load_pack(principal, ImportPolicies(yaml=pack, replace=replace))
        flow_key, _ = await service.flows.key_of(principal.org_id)
        decides = service.policies.state.of(principal.org_id)
        return SimulatedWorkspace(principal, decides, service.actions, system_clock, flow_key)
    finally:
        await service.outside.client.aclose()
        service.ledger.close()


def _record(work: Path, workspace: SimulatedWorkspace, history: History, progress: Progress) -> None:
    room, failed = Semaphore(UNDER_WAY), list[BaseException]()

    def deliver(outcome: WriteResult) -> None:
        if outcome.error is not None:
            failed.append(outcome.error)
        room.release()

    happenings = happen(history)
    evidence = SimulatedEvidence(workspace, told_sessions(happenings.actions))
    done, total = 0, len(happenings.order)
    log = Log.open(work, deliver=deliver)
    try:
        for happened in slices(happenings, AT_ONCE):
            drafts = tuple(evidence.drafts(happened))
            room.acquire()
            if failed:
                break
            log.submit([Submission(drafts)])
            done += len(happened.kinds)
            progress(done, total)
    finally:
        log.close()
    if failed:
        raise failed[0]


def _move(work: Path, home: Path) -> None:
    """Put what was made in its place; of an earlier start without any event, the empty log goes."""
    shutil.rmtree(home / "log", ignore_errors=True)
    shutil.rmtree(home / "tree", ignore_errors=True)
    (home / "tables.duckdb.wal").unlink(missing_ok=True)
    for name in MADE:
        # With a wallet key that of digests is derived from it, and has no file.
        if name != FLOW_KEY_FILE or (work / name).exists():
            (work / name).replace(home / name)
