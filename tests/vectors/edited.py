"""What anybody may try who has the file: a good bundle and one change, by name, with the checks that must fail.

The bundle's id is always made right again. `TEXTS` are changes of the file's bytes after which it is no bundle at all.
"""

from __future__ import annotations

import hmac
import json
from base64 import b64decode, b64encode, urlsafe_b64decode
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import msgspec

from assent.contract.evidence.proofs import ProofBundle
from assent.proof.bundle import bundle_id_of
from assent.proof.dsse import PAYLOAD_TYPE, pae
from assent.proof.merkle import node_hash
from tests.vectors.recorded import POLICIES
from tests.vectors.sealing import OLDER, SIGNED_AT, STRANGER, Setting, approved, good_bundles, jwk

Value = dict[str, Any]
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def value_of(bundle: ProofBundle) -> Value:
    value: Value = json.loads(msgspec.json.encode(bundle))
    return value


Edit = Callable[[Value], None]


def _set(path: str, value: Any) -> Edit:
    def edit(bundle: Value) -> None:
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        found: Any = bundle
        for step in way:
            found = found[step]
        found[last] = value(found[last]) if callable(value) else value

    return edit


def _drop(path: str, index: int) -> Edit:
    return _set(path, lambda items: [item for at_index, item in enumerate(items) if at_index != index])


def _last_bits(text: str) -> str:
    """Another spelling of the same bytes: the last character before the padding has bits that nobody reads."""
    at_index = len(text.rstrip("=")) - 1
    other = _BASE64[_BASE64.index(text[at_index]) ^ 1]
    spelled = text[:at_index] + other + text[at_index + 1 :]
    assert spelled != text
    assert b64decode(spelled) == b64decode(text)
    return spelled


def _last_bits_of_note(note: str) -> str:
    signed, _, signature = note.strip("\n").rpartition(" ")
    return f"{signed} {_last_bits(signature)}\n"


def _as_hmac(bundle: Value) -> None:
    """A signature by who has the public key only, taken for a shared secret."""
    secret = urlsafe_b64decode(bundle["keys"][0]["x"] + "=")
    payload = b64decode(bundle["attestation"]["payload"])
    mac = hmac.new(secret, pae(PAYLOAD_TYPE, payload), sha256).digest()
    bundle["attestation"]["signatures"][0]["sig"] = b64encode(mac + mac).decode()


def _by_a_stranger(bundle: Value) -> None:
    payload = b64decode(bundle["attestation"]["payload"])
    sig = STRANGER.sign(pae(PAYLOAD_TYPE, payload))
    bundle["attestation"]["signatures"][0]["sig"] = b64encode(sig).decode()


def _forged_head(bundle: Value) -> None:
    bundle["checkpoint"] = Setting(approved(), note_key=STRANGER).note(200, STRANGER, SIGNED_AT)


def _inner_node_as_leaf(bundle: Value) -> None:
    """Two leaves passed off as one: without the RFC's prefixes their hash could be an event."""
    inner = node_hash(bytes.fromhex(bundle["events"][0]["inclusion"][0]), bytes(32))
    bundle["events"][0]["header"] = (b"\x01" + inner).decode("latin-1")


EDITED: dict[str, tuple[str, Edit, set[str]]] = {
    "another_schema": ("action_approved", _set("schema", "svc.proof.v2"), {"schema"}),
    "a_member_more": ("action_approved", _set("note", "x"), {"schema"}),
    "a_member_of_an_event_more": ("action_approved", _set("events.0.note", "x"), {"schema"}),
    "a_member_of_the_envelope_more": ("action_approved", _set("attestation.note", "x"), {"schema"}),
    "a_type_of_another_kind": ("action_approved", _set("events.0.inclusion", "x"), {"schema"}),
    "an_organization_with_an_action": ("action_approved", _set("kind", "organization"), {"schema"}),
    "no_action": ("action_approved", _set("action_id", None), {"schema"}),
    "no_events": ("action_approved", _set("events", []), {"schema"}),
    "another_digest": ("action_approved", _set("digest", "sha256:" + "0" * 64), {"digest"}),
    "altered_body": ("action_approved", _set("events.3.body", lambda b: b.replace("lost", "lest")), {"inclusion"}),
    "body_gone": ("action_approved", _set("events.3.body", None), {"certificate"}),
    "altered_header": (
        "action_approved",
        _set("events.3.header", lambda h: h.replace("key_agent", "key_other")),
        {"inclusion"},
    ),
    "header_with_a_space": (
        "action_approved",
        _set("events.3.header", lambda h: h.replace(":", ": ", 1)),
        {"inclusion"},
    ),
    "dropped_event": ("action_approved", _drop("events", 3), {"certificate"}),
    "dropped_last_event": ("action_approved", _drop("events", 12), {"certificate"}),
    "repeated_event": ("action_approved", _set("events", lambda events: [*events, events[-1]]), {"inclusion"}),
    "swapped_events": ("action_approved", _set("events", lambda e: [e[1], e[0], *e[2:]]), {"inclusion"}),
    "wrong_path": ("action_approved", _set("events.0.inclusion.2", "0" * 64), {"inclusion"}),
    "short_path": ("action_approved", _drop("events.0.inclusion", 7), {"inclusion"}),
    "long_path": ("action_approved", _set("events.0.inclusion", lambda i: [*i, "0" * 64]), {"inclusion"}),
    "path_in_capitals": ("action_approved", _set("events.0.inclusion.0", str.upper), {"inclusion"}),
    "inner_node_as_leaf": ("action_approved", _inner_node_as_leaf, {"inclusion"}),
    "forged_head": ("action_approved", _forged_head, {"checkpoint"}),
    "altered_head": ("action_approved", _set("checkpoint", lambda c: c.replace("\n200\n", "\n201\n")), {"checkpoint"}),
    "head_spelled_otherwise": ("action_approved", _set("checkpoint", _last_bits_of_note), {"checkpoint"}),
    "signature_of_another_type": (
        "action_approved",
        _set("attestation.payloadType", "application/vnd.in-toto.v2+json"),
        {"signature"},
    ),
    "signature_by_the_public_key": ("action_approved", _as_hmac, {"signature"}),
    "signature_by_a_stranger": ("action_approved", _by_a_stranger, {"signature"}),
    "signature_twice": (
        "action_approved",
        _set("attestation.signatures", lambda s: [s[0], s[0]]),
        {"signature"},
    ),
    "signature_missing": ("action_approved", _set("attestation.signatures", []), {"signature"}),
    "signature_spelled_otherwise": (
        "action_approved",
        _set("attestation.signatures.0.sig", _last_bits),
        {"signature"},
    ),
    "payload_of_another_bundle": (
        "action_approved",
        _set("attestation", value_of(good_bundles()["action_blocked"])["attestation"]),
        {"checkpoint", "digest"},
    ),
    "key_that_is_not_used": (
        "action_approved",
        _set("keys", lambda keys: sorted([*keys, _plain(OLDER)], key=lambda k: k["kid"])),
        {"key"},
    ),
    "keys_in_another_order": ("action_after_rotation", _set("keys", lambda keys: keys[::-1]), {"key"}),
    "key_on_another_curve": ("action_approved", _set("keys.0.crv", "Ed448"), {"key"}),
    "key_of_another_type": ("action_approved", _set("keys.0.kty", "EC"), {"key"}),
    "key_under_another_name": ("action_approved", _set("keys.0.kid", "A" * 43), {"key"}),
    "step_left_out": ("action_after_rotation", _drop("consistency", 1), {"signature"}),
    "step_repeated": ("action_after_rotation", _set("consistency", lambda s: [*s, s[1]]), {"signature", "consistency"}),
    "wrong_step": ("action_after_rotation", _set("consistency.0.hashes.0", "0" * 64), {"consistency"}),
    "policies_left_out": ("action_approved", _set("policies", None), {"policy_replay"}),
    "policies_put_in": ("action_old", _set("policies", POLICIES), {"policy_replay"}),
    "policy_changed": ("action_approved", _set("policies.0.rules.threshold", 81), {"policy_replay"}),
}  # fmt: skip


def _plain(key: Any) -> Value:
    made = jwk(key)
    return {"kty": made.kty, "crv": made.crv, "x": made.x, "kid": made.kid}


def edited_value(name: str) -> Value:
    """The JSON value of an `EDITED` bundle, with its id made right."""
    source, edit, _ = EDITED[name]
    value = value_of(good_bundles()[source])
    edit(value)
    value["bundle_id"] = bundle_id_of(value)
    return value


TEXTS: dict[str, Callable[[bytes], bytes]] = {
    "a_name_twice": lambda text: text.replace(b'{"action_id":', b'{"action_id":"act_2","action_id":', 1),
    "a_name_twice_deep_inside": lambda text: text.replace(b'"kid":', b'"kid":"x","kid":', 1),
    "a_number_beyond_2_53": lambda text: text.replace(b'"threshold":80', b'"threshold":9007199254740993', 1),
    "nan": lambda text: text.replace(b'"threshold":80', b'"threshold":NaN', 1),
    "a_number_that_no_double_holds": lambda text: text.replace(b'"threshold":80', b'"threshold":1e400', 1),
    "a_lone_surrogate": lambda text: text.replace(b'"High risk"', b'"High \\ud800 risk"', 1),
    "cut_off": lambda text: text[:-1],
    "text_behind_it": lambda text: text + b"{}",
    "a_byte_order_mark": lambda text: b"\xef\xbb\xbf" + text,
    "not_utf_8": lambda text: text.replace(b"High risk", b"High \xff risk", 1),
    "nested_too_deeply": lambda text: text.replace(b'"threshold":80', b'"threshold":' + b"[" * 500 + b"]" * 500, 1),
    "a_list": lambda text: b"[" + text + b"]",
    "nothing": lambda _: b"",
    "too_many_values": lambda text: text.replace(b'"threshold":80', b'"threshold":[' + b"0," * 2_000_000 + b"0]", 1),
    "too_large": lambda text: text + b" " * (50 * 1024 * 1024),
}
