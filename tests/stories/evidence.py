"""What the log holds, read without any of the service's code, and compared with what clients were told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.live import LiveService
from tests.stories.load import Heard


@dataclass(frozen=True)
class Recorded:
    """One line of the log."""

    seq: int
    type: str
    subject: str
    data: dict[str, Any]


@dataclass(frozen=True)
class Difference:
    """`lost` was acknowledged and is missing, `doubled` is there more than once, `revived` was refused and is there."""

    acknowledged: int
    lost: list[str]
    doubled: list[str]
    revived: list[str]

    @property
    def none(self) -> bool:
        return not (self.lost or self.doubled or self.revived)


def read_log(home: Path) -> list[Recorded]:
    """Every line, in order. A last line without its newline is not one yet."""
    lines = b"".join(path.read_bytes() for path in sorted((home / "log").glob("*.log"))).split(b"\n")[:-1]
    return [_recorded(line) for line in lines]


def _recorded(line: bytes) -> Recorded:
    seq, _, _, header, body = line.split(b" ", 4)
    head = json.loads(header)
    # What was erased is blank.
    data = json.loads(body)["data"] if body.strip() else {}
    return Recorded(int(seq), head["type"], head["subject"], data)


def compare(heard: Heard, log: Iterable[Recorded]) -> Difference:
    found: Counter[str] = Counter()
    sessions: set[str] = set()
    for event in log:
        found[_name(event)] += 1
        if event.type == "guard.decision.created":
            sessions.add(str(event.data["session_id"]))
    told = [
        *(f"guard.decision.created {name}" for name in heard.decisions),
        *(f"action.created {name}" for name in heard.actions),
        *(f"action.updated {name} {revision}" for name, revision in heard.outcomes),
        *(f"approval.decided {name}" for name in heard.approvals),
    ]
    return Difference(
        acknowledged=len(told),
        lost=[name for name in told if not found[name]],
        doubled=[name for name, number in found.items() if number > 1],
        revived=[name for name in heard.refused if name in sessions or found[f"action.created {name}"]],
    )


def _name(event: Recorded) -> str:
    if event.type == "action.updated":
        return f"{event.type} {event.subject} {event.data['revision']}"
    if event.type.startswith("approval."):
        return f"{event.type} {event.data['action_id']}"
    return f"{event.type} {event.subject}"


def listed(service: LiveService, path: str, member: str, key: str, limit: int) -> Counter[str]:
    """How often each id comes in all pages of a list of the API."""
    found: Counter[str] = Counter()
    cursor = ""
    while True:
        status, page = service.call("GET", f"{path}?limit={limit}{cursor}")
        assert status == 200, page
        found.update(row[key] for row in page[member])
        if page["next_cursor"] is None:
            assert found.total() == page["total"]
            return found
        cursor = f"&cursor={page['next_cursor']}"


def missing_from_api(service: LiveService, heard: Heard) -> list[str]:
    """Acknowledged actions and decisions that the lists do not hold exactly once."""
    actions = listed(service, "/api/actions", "actions", "action_id", 200)
    decisions = listed(service, "/api/guard", "decisions", "decision_id", 1000)
    return [
        *(name for name in heard.actions if actions[name] != 1),
        *(name for name in heard.decisions if decisions[name] != 1),
    ]


def repeat_doubtful(service: LiveService, heard: Heard) -> list[str]:
    """Send every creation that was not answered again, under its key, and once more: what an agent does that retries.
    Gives the answers that are not as they should be."""
    wrong = []
    for body in heard.doubtful:
        answers = [service.call("POST", "/api/actions", body) for _ in range(2)]
        if any(status not in {200, 201, 202, 403} for status, _ in answers):
            wrong.append(f"{body['action_id']}: {answers}")
        elif {answer["action"]["action_id"] for _, answer in answers} != {body["action_id"]}:
            wrong.append(f"{body['action_id']} became another action")
    return wrong
