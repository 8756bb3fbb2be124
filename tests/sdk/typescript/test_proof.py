"""The two verifiers say the same about every bundle and key set that this one is tested with, and so do the rules of
PCAA about actions drawn at random. What Node does not do is named: to decide policies again."""

from __future__ import annotations

import json
import random
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent import build_pcaa_checkpoint_states
from assent.contract.evidence.wallet import Jwks
from assent.proof.policies import policy_digest
from assent.proof.verify import verify
from tests.sdk.proof.test_asked_back import ANSWER, DENIED, ENDED, REQUESTED, asked, question
from tests.stories.agents import NodeAgent, node_process
from tests.tiers import deep
from tests.vectors.edited import TEXTS
from tests.vectors.key_sets import KEY_SETS
from tests.vectors.recorded import POLICIES
from tests.vectors.sealing import FOLDER, JWKS, OLDER, SIGNED_AT, STRANGER, Setting, approved, denied, good_bundles
from tests.vectors.test_granted import FORGED, granted

pytestmark = deep("packs and installs the Node client")

REPLAY = "policy_replay"
REPLAYED = {  # that the policies decide otherwise, Python alone tells
    "signed_decision_that_the_policies_do_not_give",
    "signed_decision_with_another_reason",
    "signed_decision_with_a_reason_of_nobody",
}


@pytest.fixture(scope="module")
def agent(folder: Path) -> Iterator[NodeAgent]:
    with node_process(folder) as process:
        yield NodeAgent(process, "http://127.0.0.1:9", "none")


def head(size: int, seed: str = "grove", by_stranger: bool = False) -> str:
    key = STRANGER if by_stranger else OLDER
    return Setting(approved(), seed=seed).note(size, key, SIGNED_AT)


def cases() -> dict[str, tuple[bytes, Jwks | None, str | None]]:
    found: dict[str, tuple[bytes, Jwks | None, str | None]] = {}
    for name in good_bundles():
        content = (FOLDER / f"{name}.json").read_bytes()
        found[name] = (content, JWKS, None)
        found[f"{name} without keys"] = (content, None, None)
    for file in sorted((FOLDER / "bad").glob("*_*.json")):
        found[file.stem] = (file.read_bytes(), JWKS, None)
    good = (FOLDER / "action_approved.json").read_bytes()
    found |= {f"text {name}": (make(good), JWKS, None) for name, make in TEXTS.items()}
    found |= {f"keys {name}": (good, keys, None) for name, keys in KEY_SETS.items()}
    rotated = (FOLDER / "action_after_rotation.json").read_bytes()
    since = [head(200), head(129), head(130), head(129, "fork"), head(129, by_stranger=True), "", "x\n" * 5, "\ud800"]
    found |= {f"since {at}": (rotated, JWKS, note) for at, note in enumerate(since)}
    return found


def test_both_verifiers_say_the_same(agent: NodeAgent) -> None:
    asked = cases()
    assert len(asked) > 110
    sent = [
        {
            "text": b64encode(content).decode(),
            "keys": None if keys is None else json.loads(msgspec.json.encode(keys)),
            "since": since,
        }
        for content, keys, since in asked.values()
    ]
    for (name, (content, keys, since)), other in zip(asked.items(), agent.do("verify_texts", sent), strict=True):
        own = verify(content, keys=keys, since=since)
        mine = {each.name.value: each.status.value for each in own.checks}
        theirs = {each["name"]: each["status"] for each in other["checks"]}
        assert list(mine) == list(theirs), name
        if mine.pop(REPLAY, None) != (replayed := theirs.pop(REPLAY, None)):
            assert replayed == "warn", name
            assert name in REPLAYED or own.ok or set(mine.values()) >= {"fail"}, name
        assert theirs == mine, (name, other["checks"])
        assert other["ok"] is (own.ok or name in REPLAYED), name
        assert other["signer"] == own.signer.value, name
        assert other["certificate"] == own.certificate, name


def granted_cases() -> dict[str, bytes]:
    """Bundles of actions that a standing grant let through, right and forged, and of one that was asked about."""
    events = {"granted": granted(), **{name: forged() for name, (forged, _) in FORGED.items()}}
    events |= {f"asked back {name}": [*denied(), *more] for name, more in ASKED.items()}
    found = {name: sealed(Setting(sorted(each, key=lambda event: event.n))) for name, each in events.items()}
    for name, asks in (("always", "always"), ("never", "never")):
        policies = [each | {"always_ask": asks} if each["policy_id"] == "pol_refund" else each for each in POLICIES]
        said = granted(decided={"policy_digest": policy_digest(policies)})
        found[f"{name} asking"] = sealed(Setting(said, policies=policies))
    return found


def sealed(setting: Setting) -> bytes:
    return msgspec.json.encode(setting.seal())


ASKED = {
    "and answered": [asked(REQUESTED + 1, question()), asked(REQUESTED + 2, question(**ANSWER))],
    "and ended": [asked(REQUESTED + 1, question()), asked(DENIED + 31, question(**ENDED))],
    "too late": [asked(DENIED + 30, question()), asked(DENIED + 31, question(**ENDED))],
    "and answered too late": [asked(REQUESTED + 1, question()), asked(DENIED + 31, question(**ANSWER))],
    "and left open": [asked(REQUESTED + 1, question())],
    "about another": [asked(REQUESTED + 1, question(approval_id="apr_2", **ANSWER))],
}
DECIDED_ANEW = {"for other agents", "for another type", "beyond its conditions", "on what is missing"}
"""What of a grant Node does not decide again."""


def test_both_say_the_same_of_grants_and_questions(agent: NodeAgent) -> None:
    """Where Python passes a grant Node warns, since it has not decided again whether the grant fits."""
    asked_of = granted_cases()
    keys = json.loads(msgspec.json.encode(JWKS))
    sent = [{"text": b64encode(each).decode(), "keys": keys, "since": None} for each in asked_of.values()]
    for (name, content), other in zip(asked_of.items(), agent.do("verify_texts", sent), strict=True):
        own = verify(content, keys=JWKS)
        mine = {each.name.value: each.status.value for each in own.checks}
        theirs = {each["name"]: each["status"] for each in other["checks"]}
        mine.pop(REPLAY, None), theirs.pop(REPLAY, None)
        receipt = (mine.pop("approval_receipt"), theirs.pop("approval_receipt"))
        assert theirs == mine, (name, other["checks"])
        if name in DECIDED_ANEW:
            assert receipt == ("fail", "warn"), name
        elif "granted" in name or "never" in name:
            assert receipt == ("pass", "warn"), name
        else:
            assert receipt[0] == receipt[1], (name, other["checks"])
        assert other["certificate"] == own.certificate, name


def drawn(chance: random.Random) -> dict[str, Any]:
    now = datetime(2026, 11, 20, 12, tzinfo=UTC)

    def moment() -> str | None:
        microseconds = chance.choice([0, 1, 3_600_000_000, 3_600_000_001, 86_400_000_000, 86_400_000_001, 7])
        at = now - timedelta(microseconds=microseconds)
        return chance.choice([None, at.isoformat(), at.replace(tzinfo=None).isoformat(), at.isoformat() + "x"[:0]])

    states = [None, "awaiting", "approved", "denied", "expired", "withdrawn", "new"]
    state = chance.choice(states)
    action = {
        "action_id": chance.choice(["act_1", "", None]),
        "decision": chance.choice(["allow", "warn", "require_approval", "block", None]),
        "decision_id": chance.choice(["dec_1", None]),
        "status": chance.choice(
            ["running", "pending", "pending_approval", "completed", "failed", "cancelled", "blocked"]
        ),
        "risk_score": chance.choice([None, 0, 59.9, 60, 100]),
        "runtime": chance.choice(["sdk_service", "coding_assistant", "coding_agent", "evidence_import", None, "other"]),
        "source": chance.choice(["live", "import", "simulated", None]),
        "declared_goal": chance.choice(["x", None]),
        "timestamp_start": moment(),
        "approved_at": moment(),
        "output_summary": None,
        "error_message": None,
    }
    if chance.random() < 0.1:
        del action[chance.choice(list(action))]
    if chance.random() < 0.1:
        action["risk_score"] = "high"
    believed = [
        {
            "assumption_id": f"asm_{at}",
            "basis": None,
            "created_at": moment(),
            "action_id": chance.choice([None, "act_1"]),
        }
        for at in range(chance.randrange(3))
    ]
    approval = (
        None if state is None else {"state": state, "decided_by": None, "action_id": chance.choice(["act_1", "act_2"])}
    )
    return {"action": action, "assumptions": believed, "approval": approval, "now": now.isoformat()}


def test_both_judge_checkpoints_alike(agent: NodeAgent) -> None:
    chance = random.Random(4711)
    given = [drawn(chance) for _ in range(3000)]
    wrong = 0
    for each, theirs in zip(given, agent.do("pcaa", given), strict=True):
        try:
            mine: Any = build_pcaa_checkpoint_states(
                each["action"], each["assumptions"], each["approval"], now=datetime.fromisoformat(each["now"])
            )
        except ValueError:
            wrong += 1
            assert theirs == "TypeError", each
        else:
            assert theirs == json.loads(msgspec.json.encode(mine)), each
    assert 300 < wrong < 1000
