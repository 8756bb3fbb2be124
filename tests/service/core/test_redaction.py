"""What the door takes out, what it leaves and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assent.contract.control.actions import CREATE_ACTION
from assent.contract.control.policies import CREATE_POLICY
from assent.contract.endpoint import AnyEndpoint
from assent.contract.evidence.proofs import VERIFY_GOVERNANCE_PROOF
from assent.contract.exchange.feedback import SUBMIT_FEEDBACK
from assent.contract.exchange.messages import SEND_MESSAGE
from assent.contract.exchange.webhooks import CREATE_WEBHOOK
from assent.contract.operations import ENDPOINTS
from assent.contract.problems import Code
from assent.proof.act import parameters_digest
from assent_service.base.problem import Refusal
from assent_service.core.redacted import cut, spoken
from assent_service.core.redaction import without_secrets

PASSWORD = "hunter" + "2"
KEY = "ghp" + "_" + "Ab3" * 12


async def through(endpoint: AnyEndpoint[Any], members: dict[str, Any]) -> dict[str, Any]:
    return await without_secrets(endpoint, members, json.dumps(members).encode())


KEEPING = {
    # not stored, or checked by its digest
    "verify_governance_proof": ("*",),
    "render_prompt": ("variables",),
    "test_policies": ("policies",),
    "backtest": ("policies", "templates"),
    "evaluate_policy": ("policies",),
    "preview_grant": ("when",),
    "scan_content": ("text",),
    "scan_prompt_injection": ("text",),
    # no use without it, or refused by a better word
    "create_pairing": ("public_key",),
    "register_identity": ("public_key",),
    "create_webhook": ("url",),
    "update_webhook": ("url",),
    "open_notice": ("link",),
    "send_message": ("attachments.data",),
}
REFUSING = {
    *("create_policy", "update_policy", "import_policies", "create_scorer", "update_scorer"),
    *("create_risk_template", "update_risk_template", "create_grant", "revoke_grant", "remove_flow_labels"),
}


def test_which_endpoints_keep_and_which_refuse() -> None:
    assert {each.operation: each.keeps_secrets for each in ENDPOINTS if each.keeps_secrets} == KEEPING
    assert {each.operation for each in ENDPOINTS if each.refuses_secrets} == REFUSING


async def test_a_body_without_a_sign_is_the_very_same() -> None:
    members = {"comment": "fine", "metadata": {"tokens": 12}}
    assert await through(SUBMIT_FEEDBACK, members) is members


async def test_texts_lose_their_secrets() -> None:
    found = await through(SUBMIT_FEEDBACK, {"comment": f"password={PASSWORD}", "metadata": {"deep": [KEY]}})
    assert found == {"comment": "password=[REDACTED:password]", "metadata": {"deep": ["[REDACTED:github_token]"]}}


@pytest.mark.parametrize("size", [1_000, 10_000, 100_000])
async def test_a_long_body_loses_them_too(size: int) -> None:
    """Beside the loop as on it."""
    found = await through(SUBMIT_FEEDBACK, {"comment": "a " * (size // 2) + KEY})
    assert found["comment"].endswith("a [REDACTED:github_token]")


async def test_what_an_endpoint_keeps() -> None:
    webhook = {"url": f"https://example.com/?token={KEY}", "description": KEY}
    assert await through(CREATE_WEBHOOK, webhook) == {**webhook, "description": "[REDACTED:github_token]"}
    attached = {"filename": f"{KEY}.txt", "data": KEY}
    sent = await through(SEND_MESSAGE, {"body": KEY, "attachments": [attached, "x"]})
    assert sent["attachments"] == [{"filename": "[REDACTED:github_token].txt", "data": KEY}, "x"]
    bundle = {"bundle": {"payload": KEY}}
    assert await through(VERIFY_GOVERNANCE_PROOF, bundle) is bundle


@pytest.mark.parametrize(
    ("endpoint", "members", "place"),
    [
        (CREATE_POLICY, {"name": "n", "rules": {"when": [{"value": KEY}]}}, "rules.when[0].value"),
        (CREATE_POLICY, {"name": "n", "rules": json.dumps({"value": KEY})}, "rules"),
        (CREATE_POLICY, {"name": "n", "rules": {KEY: 1}}, "rules"),
        (CREATE_POLICY, {KEY: 1}, "a member's name"),
        (SUBMIT_FEEDBACK, {"agent_id": KEY}, "agent_id"),
        (CREATE_ACTION, {"idempotency_key": KEY}, "idempotency_key"),
    ],
)
async def test_what_is_refused_is_named_and_not_told(
    endpoint: AnyEndpoint[Any], members: dict[str, Any], place: str
) -> None:
    with pytest.raises(Refusal) as refused:
        await through(endpoint, members)
    assert refused.value.code is Code.INVALID_BODY
    assert [each.place for each in refused.value.errors] == [place]
    assert KEY not in str(refused.value.detail)


async def test_a_policy_may_look_for_secrets() -> None:
    members = {"name": "n", "rules": {"value": r"password=\S+|\[REDACTED:"}}
    assert await through(CREATE_POLICY, members) == members


async def test_the_digest_of_parameters_is_of_all_of_them() -> None:
    parameters = {"user": "ada", "password": PASSWORD}
    found = await through(CREATE_ACTION, {"action_type": "pay", "parameters": parameters})
    assert found["parameters"] == {"user": "ada", "password": "[REDACTED:password]"}
    assert found["parameters_digest"] == parameters_digest(parameters)
    assert spoken(found) == {"action_type": "pay", "parameters_digest": parameters_digest(parameters)}
    with pytest.raises(Refusal, match="parameters_digest is not the digest"):
        await through(CREATE_ACTION, {"parameters": parameters, "parameters_digest": "sha256:" + "0" * 64})
    plain = {"action_type": "pay", "parameters": {"tokens": 1}}
    assert spoken(await through(CREATE_ACTION, plain)) is plain


async def test_what_is_nested_too_deeply_is_refused() -> None:
    deep: Any = KEY
    for _ in range(2000):
        deep = [deep]
    with pytest.raises(Refusal, match="nested too deeply"):
        await without_secrets(SUBMIT_FEEDBACK, {"metadata": {"deep": deep}}, KEY.encode())


def test_only_what_grew_is_cut() -> None:
    before = {"a": "password=x1", "b": ["token=abcdefghijklmnopqrstuvwxyz", 1], "c": "same"}
    after = {"a": "password=[REDACTED:password]", "b": ["token=[REDACTED:token]", 1], "c": "same"}
    assert cut(before, after) == {"a": "password=[R", "b": ["token=[REDACTED:token]", 1], "c": "same"}


def test_what_is_too_deep_to_be_cut_is_refused() -> None:
    before: Any = "a"
    for _ in range(5_000):
        before = [before]
    with pytest.raises(Refusal) as refused:
        cut(before, before)
    assert refused.value.code is Code.INVALID_JSON
