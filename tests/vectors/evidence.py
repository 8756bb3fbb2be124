"""How evidence is written, case by case: evidence.json, which the tests of both verifiers read.

`times` are texts with the microseconds since 1970 that they mean, null for those that are no times. `revisions` are
spellings of the first revision of an action, `key_members` members of a trusted key, each with whether it holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from assent.contract.evidence.proofs import ProofBundle
from assent.proof.bundle import seal_action
from assent.proof.certificate import certify
from assent.proof.event import read_event
from assent.proof.note import position_of
from tests.vectors.recorded import Written
from tests.vectors.sealing import JWKS, KEY, OLDER, STRANGER, Setting, approved, jwk

CASES = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
TIMES: list[tuple[str, int | None]] = [(text, None if at is None else int(at)) for text, at in CASES["times"]]
REVISIONS: list[tuple[str, bool]] = [tuple(each) for each in CASES["revisions"]]
KEY_MEMBERS: list[tuple[str, Any, bool]] = [tuple(each) for each in CASES["key_members"]]


def key_set(name: str, value: Any) -> dict[str, Any]:
    """The trusted key set as JSON, with one member of the signer's key changed."""
    keys: list[dict[str, Any]] = json.loads(msgspec.json.encode(JWKS))["keys"]
    return {"keys": [each | {name: value} if each["kid"] == jwk(KEY).kid else each for each in keys]}


def respelled(event: Written, name: str, spelled: str) -> Written:
    """The event with a member of its content spelled in another way, under the right digest."""
    assert event.body is not None
    salt, content = event.body[9:41], json.loads(event.body)["data"]
    mark = "where the member stands"
    payload = json.dumps(content | {name: mark}, separators=(",", ":"), ensure_ascii=False)
    payload = payload.replace(json.dumps(mark), spelled)
    found = "sha256:" + sha256(bytes.fromhex(salt) + payload.encode()).hexdigest()
    header = json.loads(event.header) | {"body_digest": found}
    return Written(json.dumps(header, separators=(",", ":")), f'{{"salt":"{salt}","data":{payload}}}')


def forged(setting: Setting, honest: list[Written], said: Mapping[str, Any] | None = None) -> bytes:
    """The bundle of the setting's events, sealed by who holds the key with the certificate of `honest` events as far as
    the changed ones make none; `said` changes members of its envelope."""
    grove, note = setting.grove(), setting.note(setting.size, setting.note_key, setting.signed_at)
    made = certify(setting.org_id, "act_1", [read_event(each.header, each.body) for each in honest], position_of(note))
    made["evidence"] = [
        {"n": each.n, "type": json.loads(each.header)["type"], "leaf_hash": each.leaf.hex()} for each in setting.events
    ]
    made["envelope"] = made["envelope"] | (said or {})
    bundle: ProofBundle = seal_action(
        org_id=setting.org_id,
        action_id="act_1",
        certificate=made,
        events=[(each.header, each.body, grove.inclusion(each.n, setting.size)) for each in setting.events],
        checkpoint=note,
        policies=setting.policies,
        consistency=setting.consistency(grove),
        key=KEY,
        others=[jwk(each) for each in (KEY, OLDER, STRANGER)],
    )
    return msgspec.json.encode(bundle)


def timed(text: str) -> bytes:
    """A bundle with this as the time of its one assumption, which no certificate repeats."""
    honest = [each for each in approved() if each.n != 31]
    events = [respelled(each, "created_at", json.dumps(text)) if each.n == 110 else each for each in honest]
    return forged(Setting(events), honest)


def numbered(spelled: str) -> bytes:
    """A bundle with this as the number of its action's first revision."""
    honest = approved()
    events = [respelled(each, "revision", spelled) if each.n == 18 else each for each in honest]
    return forged(Setting(events), honest)
