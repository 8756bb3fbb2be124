"""Ids of another kind never leave the process; whatever a caller made up does, in any collection."""

from __future__ import annotations

import json
import re
from collections import deque
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import pytest

from assent.client.flow import Send
from assent.client.outbox import Outbox
from assent.client.request import Line, build, encoded
from assent.contract.control.actions import CREATE_ACTION, GET_ACTION, GET_ACTIONS, UPDATE_OUTCOME
from assent.contract.control.guard import GUARD
from assent.contract.evidence.proofs import VERIFY_GOVERNANCE_PROOF, VerifyProof
from assent.contract.exchange.messages import MARK_MESSAGES
from assent.contract.ids import BELONGS, NAMES, misplaced, prefix_of
from assent.contract.operations import ENDPOINTS
from assent_service.base.clock import new_id
from tests.sdk.client.doubles import Stage, Way, answering

SERVICE = Path(__file__).parents[3] / "service" / "assent_service"
CONTRACT = Path(__file__).parents[3] / "sdk" / "assent" / "contract"
OUTBOX = Outbox("off", "http://127.0.0.1:9", None, 0)
LINE = Line(base_url="http://127.0.0.1:9", headers={}, timeout=1.0, retries=0, retry_seconds=0.0, outbox=OUTBOX)
NOW = 1_763_600_000_000_000


def made(prefix: str) -> str:
    return new_id(prefix, NOW)


def test_the_table_has_every_prefix_that_the_service_makes_ids_with() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in SERVICE.rglob("*.py"))
    kinds = "".join(file.read_text(encoding="utf-8") for file in CONTRACT.rglob("*.py"))
    own = set(re.findall(r'new_id\("([a-z]+_)"', text)) | set(re.findall(r'\bprefix="([a-z]+_)"', kinds))
    derived = set(re.findall(r'\bname\("([a-z]+_)"', text)) | set(
        re.findall(r'return "([a-z]+_)" \+ (?:blake2b|sha256)\(', text)
    )
    assert len(own) > 50
    assert own <= set(NAMES)
    assert set(NAMES) <= own | derived


def test_every_member_of_the_table_is_one_of_the_contract() -> None:
    members: set[str] = set()
    for endpoint in ENDPOINTS:
        members.update(re.findall(r"{(\w+)}", endpoint.path))
        for shape in (endpoint.request, endpoint.query, endpoint.response):
            if shape is not None and issubclass(shape, msgspec.Struct):
                members.update(shape.__struct_encode_fields__)
    assert set(BELONGS) <= members
    assert {prefix for belongs in BELONGS.values() for prefix in belongs} <= set(NAMES)


@pytest.mark.parametrize("prefix", sorted(NAMES))
def test_what_belongs_to_a_member_is_taken_and_every_other_kind_refused(prefix: str) -> None:
    assert prefix_of(made(prefix)) == prefix
    for member, belongs in BELONGS.items():
        wrong = misplaced(member, made(prefix))
        assert (wrong is None) is (prefix in belongs)
        assert wrong is None or (made(prefix)[:20] in wrong or NAMES[prefix] in wrong)


@pytest.mark.parametrize(
    "id_",
    [
        "dec_1",
        "my-own",
        "",
        "dec_" + "0" * 32,
        "dec_" + "g" * 32,
        "DEC_019A9EC064007EA9B7C42BDFB0C98598",
        "mine_019a9ec0640073c19cef26d2d1775e78",
        "019a9ec0640078a6bcaf705e57f961b3",
        "dec_é",
    ],
)
def test_ids_of_a_callers_own_stay_allowed(id_: str) -> None:
    assert misplaced("action_id", id_) is None


@pytest.mark.parametrize(
    ("call", "member"),
    [
        (Send(endpoint=GET_ACTION, path={"action_id": made("dec_")}), "action_id"),
        (Send(endpoint=UPDATE_OUTCOME, path={"action_id": made("apr_")}, body={"status": "completed"}), "action_id"),
        (Send(endpoint=CREATE_ACTION, body={"action_type": "x", "decision_id": made("act_")}), "decision_id"),
        (Send(endpoint=CREATE_ACTION, body={"action_type": "x", "parent_action_id": made("dec_")}), "parent_action_id"),
        (Send(endpoint=GET_ACTIONS, query={"decision_id": made("act_")}), "decision_id"),
        (Send(endpoint=MARK_MESSAGES, body={"message_ids": ["msg_1", made("mt_")], "action": "read"}), "message_ids"),
        (Send(endpoint=VERIFY_GOVERNANCE_PROOF, body=VerifyProof(action_id=made("dec_"))), "action_id"),
    ],
)
def test_an_id_of_another_kind_is_refused_wherever_it_is_said(call: Send[Any], member: str) -> None:
    with pytest.raises(ValueError, match=f"^{member} is .*; give that of "):
        build(call, LINE)


def test_what_is_beside_the_contract_in_an_open_body_is_the_callers_own() -> None:
    body = {"action_type": "x", "policy_id": made("act_"), "metadata": {"action_id": made("dec_")}}
    assert build(Send(endpoint=GUARD, body=body), LINE).body
    assert build(Send(endpoint=CREATE_ACTION, body=body | {"agent_id": made("agt_")}), LINE).body


async def test_nothing_is_sent_and_the_error_says_what_to_do(way: Way) -> None:
    stage = Stage(way, answering({}))
    with pytest.raises(ValueError, match=r"give that of an action .*`create_action` answers with the action's"):
        await stage("update_outcome", made("dec_"), "completed")
    assert stage.requests == []


def test_a_mapping_or_a_sequence_of_any_kind_is_sent_as_json_has_it() -> None:
    body = {"metadata": MappingProxyType({"a": deque([1, 2])}), "tags": {"x": 1}.keys()}
    assert json.loads(encoded(body)) == {"metadata": {"a": [1, 2]}, "tags": ["x"]}
    with pytest.raises(TypeError, match="object"):
        encoded({"metadata": object()})
