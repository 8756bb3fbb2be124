"""A workspace with a month behind it and one that nothing has happened in, on one service, with a dashboard."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.dashboard.browser.dashboard import running_dashboard
from tests.live import WAIT, LiveService, start_service
from tests.stories.tenant import Tenant

ACTIONS = 600


@dataclass(frozen=True)
class Workspaces:
    """Keys by `admin` and `operator`: `busy` of the simulated workspace, `empty` of the other one. `waiting` and
    `settled` are actions of the busy one, the second completed after somebody approved it in words; `agent` and
    `action_type` are of the newest completed one."""

    address: str
    busy: dict[str, str]
    empty: dict[str, str]
    waiting: str
    settled: str
    agent: str
    action_type: str


@contextmanager
def workspaces(folder: Path) -> Iterator[Workspaces]:
    home = folder / "home"
    assent = Path(sys.executable).with_name("assent")
    command = [str(assent), "simulate", "--home", str(home), "--actions", str(ACTIONS)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with (
        start_service(home) as service,
        running_dashboard(service.base_url) as address,
        httpx.Client(timeout=WAIT, trust_env=False) as http,
    ):
        service.admin_key = (home / "admin.key").read_text(encoding="ascii").strip()
        empty = Tenant(service, http)
        busy = {"admin": service.admin_key}
        busy["operator"] = _made(service, "/api/keys", {"name": "Night shift", "role": "operator"})["api_key"]
        _send_messages(service)
        waiting = _asked(service, "/api/actions?status=pending_approval&limit=1")["actions"][0]
        completed = _asked(service, "/api/actions?status=completed&limit=200")["actions"]
        yield Workspaces(
            address=address,
            busy=busy,
            empty={role: empty.keys[role] for role in busy},
            waiting=waiting["action_id"],
            settled=next(each["action_id"] for each in completed if _has_reasoning(service, each)),
            agent=completed[0]["agent_id"],
            action_type=completed[0]["action_type"],
        )


def _send_messages(service: LiveService) -> None:
    """The simulated agents do not write to each other."""
    for number in range(3):
        message = {"from_agent_id": "a-1", "to_agent_id": "a-2", "subject": f"Order {number}", "body": "Is it paid?"}
        _made(service, "/api/messages", message)


def _has_reasoning(service: LiveService, action: dict[str, Any]) -> bool:
    if action["approval_id"] is None:
        return False
    approval = _asked(service, f"/api/actions/{action['action_id']}")["approval"]
    return approval is not None and bool(approval["reasoning"])


def _made(service: LiveService, path: str, body: dict[str, Any]) -> dict[str, Any]:
    status, answer = service.call("POST", path, body, key=service.admin_key)
    assert status < 300, answer
    return answer


def _asked(service: LiveService, path: str) -> dict[str, Any]:
    status, answer = service.call("GET", path, key=service.admin_key)
    assert status == 200, answer
    return answer
