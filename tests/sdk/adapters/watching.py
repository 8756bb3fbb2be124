"""What an operator sees of an agent in another process: actions as they come, and deciding on those that wait."""

from __future__ import annotations

import time
from typing import Any

from tests.sdk.adapters.environments import WAIT
from tests.stories.tenant import Tenant

DECIDED: set[str] = set()
"""The list follows a decision a moment later."""


def actions(tenant: Tenant, action_type: str | None = None) -> list[dict[str, Any]]:
    """The agent's actions, oldest first."""
    found: list[dict[str, Any]] = tenant.call("GET", "/api/actions")["actions"]
    return [each for each in reversed(found) if action_type in (None, each["action_type"])]


def ask(tenant: Tenant, text: str) -> dict[str, Any]:
    """Wait until an action waits, ask its agent something about it, and give the question once it is answered."""
    end, asked = time.monotonic() + WAIT, None
    while time.monotonic() < end:
        if asked is None:
            for each in tenant.call("GET", "/api/actions?status=pending_approval")["actions"]:
                path = f"/api/actions/{each['action_id']}/questions"
                asked = tenant.call("POST", path, {"text": text}, key="operator")["question"]["question_id"]
        page = tenant.call("GET", "/api/questions", key="operator")["questions"]
        for each in page:
            if each["question_id"] == asked and each["state"] != "open":
                found: dict[str, Any] = each
                return found
        time.sleep(0.05)
    raise AssertionError(f"a question was to be answered; there are {actions(tenant)}")


def check_the_bill_is_asked_about(tenant: Tenant, source: str = "read_file") -> None:
    """After a run in the session `bill 17` that read a bill from this source and paid twice: the session was told what
    the tools gave, and a person is asked about the recipient whom the bill named."""
    (flow,) = tenant.call("GET", "/api/flows?session_id=bill 17")["flows"]
    assert (flow["calls"], flow["complete"], flow["labels"]) == (2, True, ["untrusted_seen"])
    (waits,) = [each for each in actions(tenant, "send_money") if each["status"] != "completed"]
    (reason,) = tenant.call("GET", f"/api/actions/{waits['action_id']}")["approval"]["reasons"]
    assert f"account number (recipient) appears only in the text of what {source} answered" in reason


def in_sessions(tenant: Tenant) -> dict[str, tuple[str | None, str | None]]:
    """Session and parent of every action by its goal, as guard's decisions have them."""
    found: dict[str, tuple[str | None, str | None]] = {}
    for each in actions(tenant):
        context = tenant.call("GET", f"/api/actions/{each['action_id']}/trace")["context"]
        assert context["session_id"] == each["session_id"]
        assert each["declared_goal"] not in found
        found[each["declared_goal"]] = (context["session_id"], context.get("parent_session_id"))
    return found


def sub_agents_in_sessions_of_their_own(tenant: Tenant) -> None:
    """After a run in the session `ticket 1`, whose tool `delegate` has had a reader and a writer at work at once, each
    in a session of its own inside of that one."""
    mains = ("delegate(who='reader')", "delegate(who='writer')", "look(path='begin')", "look(path='end')")
    subs = {f"look(path='{who}')": (who, "ticket 1") for who in ("reader", "writer")}
    assert in_sessions(tenant) == dict.fromkeys(mains, ("ticket 1", None)) | subs
    found = {each["declared_goal"]: each for each in actions(tenant)}
    for who in ("reader", "writer"):
        sub, delegate = found[f"look(path='{who}')"], found[f"delegate(who='{who}')"]
        assert (sub["parent_action_id"], delegate["status"]) == (delegate["action_id"], "completed")


def decide(tenant: Tenant, verdict: str, reasoning: str = "seen", *, count: int = 1) -> list[dict[str, Any]]:
    """Wait until so many actions wait at the same time, decide on all of them, and give them as they waited."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        listed: list[dict[str, Any]] = tenant.call("GET", "/api/actions?status=pending_approval")["actions"]
        waiting = [each for each in listed if each["action_id"] not in DECIDED]
        if len(waiting) >= count:
            for each in waiting:
                body = {"decision": verdict, "reasoning": reasoning}
                tenant.call("POST", f"/api/actions/{each['action_id']}/approve", body, key="operator")
                DECIDED.add(each["action_id"])
            return waiting
        time.sleep(0.05)
    raise AssertionError(f"{count} action(s) were to wait; there are {actions(tenant)}")
