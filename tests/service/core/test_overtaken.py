"""Requests that are overtaken: run again by the door and on the quick way, and given up when that leads nowhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from assent.contract.control.guard import Decision
from assent.contract.people.keys import CreateKey
from assent.contract.roles import Role
from assent_service.base.clock import moment
from assent_service.control.guard import webhook
from assent_service.control.guard.webhook import Check, WebhookAnswer, WebhookBody
from assent_service.control.halt import HaltRow
from assent_service.core.payload import encode
from assent_service.exchange.webhooks.rows import WebhookRow
from assent_service.exchange.webhooks.sender import Attempt, Sender
from assent_service.store.event import Draft
from assent_service.store.ledger import MOST_RUNS
from assent_service.store.log import Submission
from tests.contested import ELSEWHERE, ContestedLog, ContestedReplicaLog
from tests.service.core.test_express import ASKED, Both, opened, post
from tests.stories.asks.webhooks import NOWHERE

ACTIONS = "/api/actions"


@dataclass
class Others:
    """Whoever else records: so many `times` yet they are faster, with `event` where it matters which one."""

    times: int = 0
    event: Draft | None = None

    def __call__(self, submission: Submission) -> bool | Draft:
        if not self.times:
            return False
        self.times -= 1
        return self.event or True


@dataclass
class Reply:
    status: int
    body: dict[str, Any]
    types: list[str]


@dataclass
class Contest:
    both: Both
    others: Others = field(default_factory=Others)

    @property
    def log(self) -> ContestedLog | ContestedReplicaLog:
        return cast("ContestedLog | ContestedReplicaLog", self.both.bench.service.ledger.log)

    def ask(
        self, *fields: str, quick: bool, key: str = "agent", address: str = "/api/guard", body: Any = ASKED
    ) -> Reply:
        """One request, and what was recorded for it."""
        head, content = post(self.both, body, *fields, key=key, address=address)
        # A field that the quick way leaves to the door.
        head = head if quick else head.replace(b"\r\n\r\n", b"\r\nprefer: nothing\r\n\r\n")
        evidence = self.both.run(self.both.bench.ask(head + content, [], quick=True))
        assert bool(self.both.bench.taken) is quick, "it went the other way"
        line, _, rest = evidence.answer.partition(b"\r\n")
        mine = [
            each.type for each in self.both.bench.events if each.org != ELSEWHERE and not self._is_theirs(each.type)
        ]
        return Reply(int(line.split()[1]), json.loads(rest.partition(b"\r\n\r\n")[2]), mine)

    def _is_theirs(self, kind: str) -> bool:
        return self.others.event is not None and kind == self.others.event.type


@contextmanager
def opened_contest(home: Path) -> Iterator[Contest]:
    others = Others()
    with opened(home, overtakes=others) as both:
        yield Contest(both, others)


@pytest.fixture
def contest(tmp_path: Path) -> Iterator[Contest]:
    with opened_contest(tmp_path) as found:
        yield found


WAYS = pytest.mark.parametrize("quick", [False, True])


@WAYS
def test_who_is_overtaken_is_answered_as_if_nobody_were_faster(contest: Contest, quick: bool) -> None:
    alone = contest.ask(quick=quick)
    contest.others.times = MOST_RUNS - 1
    asked = contest.ask(quick=quick)
    assert contest.others.times == 0
    assert (asked.status, asked.types) == (alone.status, alone.types) == (200, ["guard.decision.created"])
    assert asked.body.keys() == alone.body.keys()


@WAYS
def test_who_is_overtaken_each_time_is_busy_and_leaves_nothing_behind(contest: Contest, quick: bool) -> None:
    contest.others.times = 1000
    for address in ("/api/guard", ACTIONS):
        refused = contest.ask("idempotency-key: k", quick=quick, address=address)
        assert (refused.status, refused.body["code"], refused.types) == (503, "busy", [])
    assert contest.others.times == 1000 - 2 * MOST_RUNS
    # No place of the rate limit, which has two, is taken; the keys are free.
    contest.others.times = 0
    created = [contest.ask(f"idempotency-key: {key}", quick=quick, address=ACTIONS).status for key in ("k", "l")]
    assert created == [201, 201]
    last = contest.ask(quick=False, address=ACTIONS)
    assert (last.status, last.body["code"]) == (403, "action_blocked")


@WAYS
def test_a_key_that_comes_again_answers_what_was_recorded_once(contest: Contest, quick: bool) -> None:
    contest.others.times = 1
    first = contest.ask("idempotency-key: k", quick=quick, address=ACTIONS)
    contest.others.times = 1
    again = contest.ask("idempotency-key: k", quick=False, address=ACTIONS)
    assert (first.status, first.types) == (201, ["guard.decision.created", "action.created"])
    assert (again.body["action_id"], again.types) == (first.body["action_id"], [])
    assert contest.others.times == 1, "a repeat records nothing, and so rests on nothing"


@WAYS
def test_a_switch_that_was_pulled_meanwhile_stops_it(contest: Contest, quick: bool) -> None:
    bench = contest.both.bench
    org_id, at = bench.admin.org_id, moment(bench.now)
    row = HaltRow(
        org_id=org_id,
        halt_id="hlt_elsewhere",
        halted=True,
        reason="pulled elsewhere",
        changed_at=at,
        changed_by="somebody",
        created_at=at,
    )
    contest.others.event = Draft(org_id, "halt.changed", bench.now, row.halt_id, "key_other", encode(row))
    contest.others.times = 1
    asked = contest.ask(quick=quick)
    assert (asked.status, asked.body["decision"], asked.types) == (200, "block", ["guard.decision.created"])
    assert "pulled elsewhere" in asked.body["reason"]


@WAYS
def test_a_key_that_was_revoked_meanwhile_records_nothing(contest: Contest, quick: bool) -> None:
    bench = contest.both.bench
    made = contest.both.run(bench.service.keys.create(bench.admin, CreateKey(name="leaver", role=Role.AGENT)))
    bench.keys["leaver"] = made.api_key
    row = bench.service.keys.state.by_id[bench.admin.org_id, made.key.key_id]
    gone = msgspec.structs.replace(row, revoked_at=moment(bench.now), revoked_by="key_other")
    contest.others.event = Draft(row.org_id, "key.revoked", bench.now, row.key_id, "key_other", encode(gone))
    contest.others.times = 1
    asked = contest.ask(quick=quick, key="leaver")
    assert (asked.status, asked.body["code"], asked.types) == (401, "unauthorized", [])


def test_a_policys_webhook_is_asked_once_and_again_when_it_is_asked_something_else(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[str]()

    async def answer(checks: Sequence[Check], snapshot: WebhookBody, **_: Any) -> list[WebhookAnswer]:
        asked.append(f"{snapshot.context.action_type} {snapshot.preliminary_decision}")
        return [
            WebhookAnswer(
                policy_id=each.policy_id, policy_name=each.policy_name, decision=Decision.WARN, reasons=(), warnings=()
            )
            for each in checks
        ]

    monkeypatch.setattr(webhook, "ask", answer)
    contest.both.run(contest.both.bench.policy("webhook_check", {"url": "https://hook.invalid"}))
    contest.others.times = MOST_RUNS - 1
    warned = contest.ask(quick=False)
    assert (warned.body["decision"], warned.types, asked) == ("warn", ["guard.decision.created"], ["deploy warn"])
    contest.ask(quick=False)
    assert asked == ["deploy warn"] * 2, "another request asks for itself"
    stricter = contest.both.bench.service.policies.state.list(contest.both.bench.admin.org_id)[-1]
    changed = msgspec.structs.replace(
        stricter,
        policy_id="pol_elsewhere",
        policy_type="require_approval",
        rules={"action_types": ["deploy"]},
    )
    contest.others.event = Draft(
        changed.org_id, "policy.created", contest.both.bench.now, changed.policy_id, "key_other", encode(changed)
    )
    contest.others.times = 1
    assert contest.ask(quick=False).body["decision"] == "require_approval"
    assert asked[2:] == ["deploy warn", "deploy require_approval"]


def test_a_webhook_is_tried_once(contest: Contest, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = list[str]()

    async def send(sender: Sender, webhook: WebhookRow, message_id: str, body: bytes) -> Attempt:
        sent.append(message_id)
        return Attempt(status=200)

    monkeypatch.setattr(Sender, "send", send)
    hook = {"url": NOWHERE, "events": ["message.created"]}
    assert contest.ask(quick=False, key="admin", address="/api/webhooks", body=hook).status < 300
    (made,) = contest.both.bench.events
    contest.others.times = MOST_RUNS - 1
    tried = contest.ask(quick=False, key="admin", address=f"/api/webhooks/{made.subject}/test", body=b"")
    recorded = [each.subject for each in contest.both.bench.events if each.org != ELSEWHERE]
    assert (tried.status, tried.body["success"], recorded) == (200, True, sent)
    assert len(sent) == 1


def test_what_is_recorded_moves_what_it_rests_on_for_others(contest: Contest) -> None:
    org_id = contest.both.bench.admin.org_id
    contest.ask("idempotency-key: k", quick=True, address=ACTIONS)
    seq = contest.both.bench.service.ledger.head
    assert contest.log.moved_by(seq) == {
        f"idempotency:{org_id}:agent-1:k",
        f"rate:{org_id}:agent-1",
        f"key_rate:{org_id}:{agent(contest)}",
    }


def test_two_actions_of_one_agent_do_not_overtake_each_other(contest: Contest) -> None:
    statuses = [contest.ask(quick=True, address=ACTIONS).status for _ in range(2)]
    assert (statuses, contest.log.overtaken) == ([201, 201], [])


def agent(contest: Contest) -> str:
    """The id of the agents' key that is bound to none."""
    found = contest.both.bench.service.keys.authenticate(contest.both.bench.keys["agent"])
    assert found is not None
    return found.key_id
