"""The two verifiers say the same about every bundle and key set that this one is tested with, and so do the rules of
PCAA about actions drawn at random. What Node does not do is named: to decide policies again."""

from __future__ import annotations

import json
import random
from base64 import b64encode
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent import build_pcaa_checkpoint_states
from assent.contract.evidence.proofs import BUNDLE_LIMIT
from assent.contract.evidence.wallet import Jwks
from assent.proof.policies import policy_digest
from assent.proof.reading import MAX_VALUES
from assent.proof.verify import verify
from tests.sdk.proof.test_asked_back import ANSWER, DENIED, ENDED, REQUESTED, asked, question
from tests.stories.agents import NodeAgent, node_process
from tests.tiers import deep
from tests.vectors.edited import TEXTS
from tests.vectors.evidence import KEY_MEMBERS, REVISIONS, TIMES, forged, key_set, numbered, respelled, timed
from tests.vectors.key_sets import KEY_SETS
from tests.vectors.recorded import POLICIES
from tests.vectors.sealing import (
    FOLDER,
    JWKS,
    OLDER,
    SIGNED_AT,
    STRANGER,
    Setting,
    approved,
    denied,
    good_bundles,
    organization,
)
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
    found |= {f"of {size} bytes": (good.ljust(size), JWKS, None) for size in (BUNDLE_LIMIT, BUNDLE_LIMIT + 1)}
    found |= {f"with {count} values": (many_values(count), JWKS, None) for count in (MAX_VALUES, MAX_VALUES + 1)}
    rotated = (FOLDER / "action_after_rotation.json").read_bytes()
    since = [head(200), head(129), head(130), head(129, "fork"), head(129, by_stranger=True), "", "x\n" * 5, "\ud800"]
    found |= {f"since {at}": (rotated, JWKS, note) for at, note in enumerate(since)}
    return found


def many_values(count: int) -> bytes:
    """An organization whose policies hold so many values: their list, one policy, its list and numbers."""
    policies: list[dict[str, Any]] = [{"rules": [0] * (count - 3)}]
    return msgspec.json.encode(organization(policies, policy_digest=policy_digest(policies)))


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


def node_says(agent: NodeAgent, asked: Sequence[tuple[bytes, Any]]) -> list[dict[str, Any]]:
    sent = [{"text": b64encode(each).decode(), "keys": keys, "since": None} for each, keys in asked]
    found: list[dict[str, Any]] = agent.do("verify_texts", sent)
    return found


def test_node_reads_evidence_by_the_same_table(agent: NodeAgent) -> None:
    trusted = json.loads(msgspec.json.encode(JWKS))
    good = (FOLDER / "action_approved.json").read_bytes()
    asked = {f"time {text!r}": ((timed(text), trusted), at is not None) for text, at in TIMES}
    asked |= {f"revision {spelled}": ((numbered(spelled), trusted), holds) for spelled, holds in REVISIONS}
    asked |= {f"{name} {value}": ((good, key_set(name, value)), holds) for name, value, holds in KEY_MEMBERS}
    assert len(asked) == len(TIMES) + len(REVISIONS) + len(KEY_MEMBERS)
    for (name, (_, holds)), found in zip(
        asked.items(), node_says(agent, [each for each, _ in asked.values()]), strict=True
    ):
        assert found["ok"] is holds, (name, found["checks"])
        assert found["signer"] == ("trusted" if holds or name.startswith(("time", "revision")) else "unknown"), name


SPELLED = [
    *("null", "true", "0", "-0", "0.0", "0e0", "2E+0", "1e-400", "1", "1.0", "3", "3.0", "55", "9007199254740991"),
    *("9007199254740993", "9007199254740993.0", "1e21", "1e309", "NaN", "01", '""', '"x"', '"\\ud800"', "[]", "{}"),
    *("[[]]", '{"__proto__":{}}', "[" * 600 + "]" * 600, "[" * 128 + "]" * 128),
    *('"approved"', '"denied"', '["denied"]', '"cancelled"', '"blocked"', '"key_agent"', '"key_olga"'),
]
READ = (
    *("timestamp_start", "approved_at", "created_at", "decided_at", "expires_at", "claimed_at", "valid_until"),
    *("revision", "used", "max_uses", "max_risk", "last_use", "name_rule", "risk_score", "explored", "self_decided"),
    *("decided_by", "decided_by_key", "created_by", "status", "output_summary", "side_effects", "timestamp_end"),
    *("change", "refused_claims", "grant_id", "act_digest", "matched_policies", "agent_id", "revoked_at", "when"),
)
"""Members that a check reads, or a rule of the certificate."""


def forgery(chance: random.Random) -> bytes | None:
    """A bundle that somebody with the key sealed around content that is spelled oddly in one place or two."""
    honest = chance.choice([approved, denied, granted])()
    events = list(honest)
    said = {}
    for _ in range(chance.choice([1, 1, 2])):
        at_index = chance.randrange(len(events))
        content = json.loads(events[at_index].body or "")["data"]
        name = chance.choice([each for each in READ if each in content])
        odd = chance.choice(TIMES)[0] if chance.random() < 0.5 else None
        spelled = chance.choice(SPELLED) if odd is None else json.dumps(odd)
        try:
            events[at_index] = respelled(events[at_index], name, spelled)
        except UnicodeEncodeError:
            return None
        if name == "timestamp_start":
            said[name] = odd
    setting = Setting(events)
    try:
        return sealed(setting)
    except ValueError:
        return forged(setting, honest, said)


def test_both_say_the_same_of_whatever_was_forged(agent: NodeAgent) -> None:
    chance = random.Random(303)
    asked = [found for found in (forgery(chance) for _ in range(600)) if found is not None]
    trusted = json.loads(msgspec.json.encode(JWKS))
    held = 0
    for content, other in zip(asked, node_says(agent, [(each, trusted) for each in asked]), strict=True):
        own = verify(content, keys=JWKS)
        mine = {each.name.value: each.status.value for each in own.checks}
        theirs = {each["name"]: each["status"] for each in other["checks"]}
        replayed = mine.pop(REPLAY), theirs.pop(REPLAY)
        if theirs["approval_receipt"] == "warn" and mine["approval_receipt"] != "warn":
            # A grant that fits, or one that does not fit a decision that does not hold itself.
            assert mine["approval_receipt"] == "pass" or replayed[0] == "fail", own
            del theirs["approval_receipt"], mine["approval_receipt"]
        assert theirs == mine, (own, other["checks"])
        assert other["certificate"] == own.certificate
        held += own.ok
    assert 50 < held < len(asked) - 100


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
