"""What holds for every endpoint, whatever it is about."""

import importlib
import pkgutil
import re
from typing import Any

import pytest

from assent import contract
from assent.contract.endpoint import AnyEndpoint, Endpoint
from assent.contract.operations import ENDPOINTS
from assent.contract.problems import Code
from assent.contract.roles import Role
from tests.every import every

EACH = every("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation)
BY_NAME = {endpoint.operation: endpoint for endpoint in ENDPOINTS}
BODILESS = {
    *("activate_prompt_version", "approve_pairing", "rotate_webhook_secret", "test_webhook"),
    "acknowledge_drift_alert",
}
"""They do one thing to what their path names, and there is nothing to say about it."""
READS = {
    "test_policies",
    "preview_grant",
    "backtest",
    "evaluate_policy",
    "auto_calibrate",
    "verify_governance_proof",
    "detect_drift",
    "compute_learning_velocity",
    "compute_learning_curves",
    "rebuild_recommendations",
}
"""They ask with a body and change nothing."""
ADMINISTRATION = {
    *("get_keys", "get_org", "get_org_by_id", "get_org_keys", "get_pairings", "get_identities"),
    *("get_webhooks", "get_webhook_deliveries", "get_webhook", "get_identity", "get_key"),
}
"""Reads of who may come in and where events go: nothing that an auditor has to see."""


def names_in(path: str) -> list[str]:
    return re.findall(r"\{(\w+)\}", path)


def shape_of(path: str) -> str:
    """Two paths of the same shape cannot be told apart by a router."""
    return re.sub(r"\{\w+\}", "{}", path)


def declared() -> dict[str, AnyEndpoint[Any]]:
    """Every endpoint in any module of the contract, by the name of its constant."""
    found: dict[str, AnyEndpoint[Any]] = {}
    for module in pkgutil.walk_packages(contract.__path__, "assent.contract."):
        members = vars(importlib.import_module(module.name))
        found |= {name: value for name, value in members.items() if isinstance(value, Endpoint)}
    return found


def test_every_endpoint_that_is_declared_is_listed_once() -> None:
    assert sorted(each.operation for each in declared().values()) == sorted(each.operation for each in ENDPOINTS)


def test_operations_have_names_of_their_own() -> None:
    assert len(BY_NAME) == len(ENDPOINTS)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in BY_NAME)


def test_no_two_operations_share_a_method_and_path() -> None:
    places = [(each.method, shape_of(path)) for each in ENDPOINTS for path in (each.path, *each.also)]
    twice = {place for place in places if places.count(place) > 1}
    assert not twice


@EACH
def test_paths_are_plain(endpoint: AnyEndpoint[Any]) -> None:
    if endpoint.operation == "get_jwks":
        # Where RFC 8615 has strangers look for it.
        assert endpoint.path == "/.well-known/jwks.json"
        return
    for path in (endpoint.path, *endpoint.also):
        assert re.fullmatch(r"(/([a-z][a-z0-9]*(-[a-z0-9]+)*|\{([a-z_]+_(id|digest)|table|kid)\}))+", path), path


@EACH
def test_further_paths_name_no_id_that_the_main_one_lacks(endpoint: AnyEndpoint[Any]) -> None:
    for path in endpoint.also:
        assert set(names_in(path)) <= set(names_in(endpoint.path))


@EACH
def test_a_path_without_the_id_takes_it_from_the_query(endpoint: AnyEndpoint[Any]) -> None:
    short = [path for path in endpoint.also if len(names_in(path)) < len(names_in(endpoint.path))]
    if short:
        assert endpoint.query is not None
        assert "id" in endpoint.query.__struct_encode_fields__


@EACH
def test_methods_and_bodies_go_together(endpoint: AnyEndpoint[Any]) -> None:
    assert endpoint.method in {"GET", "POST", "PATCH", "DELETE"}
    says_something = endpoint.method in {"POST", "PATCH"} and endpoint.operation not in BODILESS
    assert (endpoint.request is not None) == says_something
    assert not endpoint.open_body or endpoint.request is not None


def test_what_needs_no_body_changes_what_its_path_names() -> None:
    assert BY_NAME.keys() >= BODILESS
    assert all(BY_NAME[name].method in {"POST", "PATCH"} and names_in(BY_NAME[name].path) for name in BODILESS)


@EACH
def test_success_has_a_body_so_never_204(endpoint: AnyEndpoint[Any]) -> None:
    assert endpoint.statuses
    assert 204 not in endpoint.statuses
    # The one success without a body says that the caller has it already.
    usual = [status for status in endpoint.statuses if status != 304]
    assert all(200 <= status < 300 for status in usual) or endpoint.operation == "ready"
    assert usual[0] == endpoint.statuses[0]
    # A table may have changed since it was read last; an attachment never does, and is not asked for twice.
    assert (304 in endpoint.statuses) == (endpoint.response is bytes)


@EACH
def test_the_summary_is_one_sentence(endpoint: AnyEndpoint[Any]) -> None:
    assert endpoint.summary[0].isupper()
    assert endpoint.summary.endswith(".")
    assert "\n" not in endpoint.summary


@EACH
def test_an_id_in_the_path_can_be_refused(endpoint: AnyEndpoint[Any]) -> None:
    if names_in(endpoint.path):
        assert Code.INVALID_PATH in endpoint.every_problem()


@EACH
def test_everything_with_a_key_can_refuse_the_key(endpoint: AnyEndpoint[Any]) -> None:
    refusals = {Code.UNAUTHORIZED, Code.FORBIDDEN} & set(endpoint.every_problem())
    assert len(refusals) == (0 if endpoint.roles is None else 2)


@EACH
def test_whoever_sends_a_body_can_be_told_what_is_wrong_with_it(endpoint: AnyEndpoint[Any]) -> None:
    statuses = {code.status for code in endpoint.every_problem()}
    assert ({400, 413} <= statuses) or endpoint.request is None


@EACH
def test_no_problem_is_named_twice(endpoint: AnyEndpoint[Any]) -> None:
    codes = endpoint.every_problem()
    assert len(codes) == len(set(codes))
    assert len(endpoint.problems) == len(set(endpoint.problems))


def test_every_code_can_be_answered_by_something() -> None:
    answered = {code for endpoint in ENDPOINTS for code in endpoint.every_problem()}
    # No endpoint is involved when there is no such path, or when what published clients look for is elsewhere.
    assert set(Code) - answered == {Code.ROUTE_NOT_FOUND, Code.NOT_SERVED}


def test_only_what_tells_nothing_is_open() -> None:
    # How a pairing stands is told to whoever knows its id, which cannot be guessed; public keys are for strangers.
    open_ones = {"health", "ready", "get_pairing", "get_jwks"}
    assert {each.operation for each in ENDPOINTS if each.roles is None} == open_ones


@pytest.mark.parametrize(
    "operation",
    [
        *("approve_action", "halt", "resume", "create_policy", "create_key", "revoke_key"),
        *("create_scorer", "approve_pairing", "register_identity", "revoke_identity"),
        *("create_webhook", "delete_webhook", "update_org", "get_activity_logs"),
    ],
)
def test_an_agent_can_never(operation: str) -> None:
    roles = BY_NAME[operation].roles
    assert roles is not None
    assert Role.AGENT not in roles


@EACH
def test_an_auditor_changes_nothing_and_reads_what_is_not_secret(endpoint: AnyEndpoint[Any]) -> None:
    if endpoint.roles is None:
        return
    reads = endpoint.method == "GET" or endpoint.operation in READS
    assert (Role.AUDITOR in endpoint.roles) == (reads and endpoint.operation not in ADMINISTRATION)


def test_what_is_administration_is_a_read_that_only_admins_and_operators_have() -> None:
    assert BY_NAME.keys() >= ADMINISTRATION
    for name in ADMINISTRATION:
        roles = BY_NAME[name].roles
        assert BY_NAME[name].method == "GET"
        assert roles is not None
        assert Role.AGENT not in roles


@EACH
def test_an_admin_may_do_everything(endpoint: AnyEndpoint[Any]) -> None:
    assert endpoint.roles is None or Role.ADMIN in endpoint.roles


@pytest.mark.parametrize(
    ("operation", "method", "path"),
    [
        ("guard", "POST", "/api/guard"),
        ("get_guard_decisions", "GET", "/api/guard"),
        ("create_action", "POST", "/api/actions"),
        ("get_actions", "GET", "/api/actions"),
        ("get_action", "GET", "/api/actions/{action_id}"),
        ("update_outcome", "PATCH", "/api/actions/{action_id}"),
        ("get_action_trace", "GET", "/api/actions/{action_id}/trace"),
        ("approve_action", "POST", "/api/actions/{action_id}/approve"),
        ("record_assumption", "POST", "/api/assumptions"),
        ("events", "GET", "/api/stream"),
        ("halt", "POST", "/api/halt"),
        ("resume", "DELETE", "/api/halt"),
        ("create_key", "POST", "/api/keys"),
        ("revoke_key", "DELETE", "/api/keys/{key_id}"),
        ("import_policies", "POST", "/api/policies/import"),
        ("test_policies", "POST", "/api/policies/test"),
    ],
)
def test_published_clients_find_what_they_call(operation: str, method: str, path: str) -> None:
    assert (BY_NAME[operation].method, BY_NAME[operation].path) == (method, path)
