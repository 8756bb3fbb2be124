"""The clients of calls that were given none: one for a process, one for each event loop, closed when these end."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest

from assent import governed
from assent.governing.clients import Clients
from tests.live import ROOT, WAIT
from tests.stories.tenant import Tenant


def test_threads_share_one(of_process: Clients, tenant: Tenant) -> None:
    found: set[int] = set()
    threads = [threading.Thread(target=lambda: found.add(id(of_process.blocking()))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
    assert found == {id(of_process.blocking())}


def test_each_loop_has_its_own_which_is_closed_with_it(of_process: Clients, tenant: Tenant) -> None:
    @governed
    async def look() -> int:
        return 1

    async def twice() -> object:
        await asyncio.gather(look(), look())
        client = await of_process.awaiting()
        assert client is await of_process.awaiting()
        return client

    first, second = asyncio.run(twice()), asyncio.run(twice())
    assert first is not second
    for client in (first, second):
        with pytest.raises(RuntimeError, match="closed"):
            asyncio.run(client.get_actions())  # type: ignore[attr-defined]


SCRIPT = """
import asyncio, os, sys
from assent import governed

@governed
def look(who): return who

@governed
async def see(who): return who

look("parent")
if os.fork() == 0:
    look("child")
    asyncio.run(see("child"))
    os._exit(0)
_, status = os.wait()
asyncio.run(see("parent"))
look("parent again")
sys.exit(status)
"""


def test_a_forked_process_makes_its_own_and_nothing_is_left_open(tenant: Tenant) -> None:
    env = {"ASSENT_BASE_URL": tenant.service.base_url, "ASSENT_API_KEY": tenant.keys["agent"]}
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", SCRIPT],
        cwd=ROOT, env=env, capture_output=True, text=True, timeout=WAIT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Error" not in done.stderr
    assert "Warning" not in done.stderr
    goals = [action["declared_goal"] for action in tenant.call("GET", "/api/actions")["actions"]][::-1]
    names = ["look", "look", "see", "see", "look"]
    whos = ["parent", "child", "child", "parent", "parent again"]
    assert goals == [f"{name}(who='{who}')" for name, who in zip(names, whos, strict=True)]
