"""Policies and packs that cannot be used: refused with the place that is wrong, and guard goes on as before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.stories.problems import refused
from tests.stories.tenant import Reply, Tenant

LEAF: dict[str, Any] = {"field": "risk_score", "op": "gte", "value": 60}


def nested(depth: int, word: str = "not") -> dict[str, Any]:
    tree = LEAF
    for _ in range(depth):
        tree = {word: tree if word == "not" else [tree]}
    return tree


def leaf(**members: Any) -> dict[str, Any]:
    return LEAF | members


@pytest.fixture(autouse=True)
def nothing_changed(shared_tenant: Tenant) -> Iterator[None]:
    before = shared_tenant.recorded()
    yield
    assert shared_tenant.recorded() == before


TREES: dict[str, tuple[Any, str]] = {
    "too deep": (nested(16), "rules.when" + ".not" * 16),
    "far too deep": (nested(400), "rules.when" + ".not" * 16),
    "too deep in lists": (nested(16, "all"), "rules.when" + ".all[0]" * 16),
    "too many nodes": ({"any": [LEAF] * 256}, "rules.when.any[255]"),
    "no branches": ({"all": []}, "rules.when.all"),
    "branches that are none": ({"any": LEAF}, "rules.when.any"),
    "a leaf that is none": ({"all": [LEAF, 1]}, "rules.when.all[1]"),
    "an unknown shape": ({"none": [LEAF]}, "rules.when"),
    "two shapes": ({"all": [LEAF], "any": [LEAF]}, "rules.when"),
    "a leaf too many": (leaf(negate=True), "rules.when"),
    "a leaf without value": ({"field": "a", "op": "eq"}, "rules.when"),
    "an unknown op": ({"all": [leaf(op="between")]}, "rules.when.all[0].op"),
    "code for an op": (leaf(op="__class__"), "rules.when.op"),
    "an op that is none": (leaf(op=["eq"]), "rules.when.op"),
    "an empty field": (leaf(field=""), "rules.when.field"),
    "an empty part": (leaf(field="metadata..a"), "rules.when.field"),
    "a long field": (leaf(field="x" * 257), "rules.when.field"),
    "text for a number": (leaf(value="60"), "rules.when.value"),
    "truth for a number": (leaf(value=True), "rules.when.value"),
    "a number no reader keeps": (leaf(op="eq", value=2**53 + 1), "rules.when.value"),
    "a huge number": (leaf(value=10**30), "rules.when.value"),
    "a mapping for a value": (leaf(op="eq", value={"a": 1}), "rules.when.value"),
    "a scalar for a list": (leaf(op="in", value="abc"), "rules.when.value"),
    "an empty list": (leaf(op="in", value=[]), "rules.when.value"),
    "a long list": (leaf(op="in", value=["x"] * 501), "rules.when.value"),
    "a list in a list": (leaf(op="in", value=[1, [2]]), "rules.when.value[1]"),
    "a long text": (leaf(op="eq", value="x" * 2001), "rules.when.value"),
    "exists what": (leaf(op="exists", value="yes"), "rules.when.value"),
    "an open bracket": (leaf(op="matches", value="(a"), "rules.when.value"),
    "looking ahead": (leaf(op="matches", value="(?=a)a"), "rules.when.value"),
    "looking behind": (leaf(op="matches", value="(?<=a)b"), "rules.when.value"),
    "a back-reference": (leaf(op="matches", value=r"(a)\1"), "rules.when.value"),
    "an atomic group": (leaf(op="matches", value="(?>a+)a"), "rules.when.value"),
    "a pattern that fills the memory": (leaf(op="matches", value="((a{100}){100}){100}"), "rules.when.value"),
    "no tree": (None, "rules.when"),
    "text": ("risk_score >= 60", "rules.when"),
}


@pytest.mark.parametrize(("tree", "place"), TREES.values(), ids=TREES)
def test_a_tree_that_cannot_be_read(shared_tenant: Tenant, tree: Any, place: str) -> None:
    draft = {"name": "t", "policy_type": "condition", "rules": {"when": tree, "action": "block"}}
    refused(shared_tenant.send("POST", "/api/policies", draft), 400, "invalid_policy", place)
    checked = shared_tenant.call("POST", "/api/policies/test", {"policies": [draft], "context": {"action_type": "x"}})
    assert (checked["success"], checked["failed"], checked["result"]) == (False, 1, None)


RULES: dict[str, tuple[str, Any, str]] = {
    "an unknown type": ("magic", {}, "policy_type"),
    "no type": ("", {}, "policy_type"),
    "no object": ("risk_threshold", [], "rules"),
    "text that is no JSON": ("risk_threshold", "{", "rules"),
    "long text": ("risk_threshold", "{" + " " * 16_000 + "}", "rules"),
    "deep text": ("condition", '{"when":' + "[" * 5000 + "]" * 5000 + "}", "rules"),
    "a high threshold": ("risk_threshold", {"threshold": 101}, "rules.threshold"),
    "text for a threshold": ("risk_threshold", {"threshold": "80"}, "rules.threshold"),
    "to allow": ("risk_threshold", {"action": "allow"}, "rules.action"),
    "no action types": ("require_approval", {"action_types": []}, "rules.action_types"),
    "one action type": ("block_action_type", {"action_types": "deploy"}, "rules.action_types"),
    "an empty action type": ("block_action_type", {"action_types": [""]}, "rules.action_types[0]"),
    "no actions at all": ("rate_limit", {"max_actions": 0}, "rules.max_actions"),
    "no window": ("rate_limit", {"window_minutes": 0}, "rules.window_minutes"),
    "a hook without cover": ("webhook_check", {"url": "http://example.com/x"}, "rules.url"),
    "a hook with a password": ("webhook_check", {"url": "https://a:b@example.com/"}, "rules.url"),
    "a file": ("webhook_check", {"url": "file:///etc/passwd"}, "rules.url"),
    "no patience": ("webhook_check", {"url": "https://example.com", "timeout_ms": 1}, "rules.timeout_ms"),
    "no action": ("condition", {"when": LEAF}, "rules"),
}


@pytest.mark.parametrize(("kind", "rules", "place"), RULES.values(), ids=RULES)
def test_rules_that_cannot_be_read(shared_tenant: Tenant, kind: str, rules: Any, place: str) -> None:
    draft = {"name": "r", "policy_type": kind, "rules": rules}
    refused(shared_tenant.send("POST", "/api/policies", draft), 400, "invalid_policy", place)


BOMB = "version: 1\na: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join(['*' + before] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
GOOD = "{name: n, policy_type: block_action_type, rules: {action_types: [x]}}"
PACKS: dict[str, tuple[str, str]] = {
    "an alias bomb": (BOMB, "line 2"),
    "one that holds itself": ("version: 1\npolicies: &p [*p]\n", "line 2"),
    "merged keys": ("version: 1\npolicies:\n  - &a {name: n}\n  - {<<: *a}\n", "line 3"),
    "code": ("version: 1\npolicies: !!python/object/apply:os.system [ls]\n", "line 2"),
    "a tag of its own": ("version: 1\npolicies: !policies []\n", "line 2"),
    "a key twice": ("version: 1\nversion: 1\npolicies: []\n", "line 2"),
    "a key twice in JSON": ('{"version": 1, "policies": [], "policies": []}', "pack"),
    "a thousand brackets": ("version: 1\npolicies: " + "[" * 1000 + "]" * 1000, "line 2"),
    "another version": (f"version: 2\npolicies: [{GOOD}]\n", "version"),
    "no policies": ("version: 1\n", "policies"),
    "two documents": ("version: 1\npolicies: []\n---\nversion: 1\n", "line 3"),
    "nothing": ("", "pack"),
    "only text": ("policies", "pack"),
    "tabs": ("version: 1\npolicies:\n\t- x\n", "line 3"),
    "an unknown member": ("version: 1\npolicies: []\nextra: 1\n", "pack"),
    "a misspelt rule": (
        "version: 1\npolicies: [{name: n, policy_type: risk_threshold, rules: {treshold: 5}}]\n",
        "policies[0].rules",
    ),
    "the second is wrong": (
        f"version: 1\npolicies: [{GOOD}, {{name: m, policy_type: condition, rules: {{when: 1, action: warn}}}}]\n",
        "policies[1].rules.when",
    ),
    "no number": ("version: 1\npolicies: [{name: n, policy_type: risk_threshold, rules: {threshold: .nan}}]\n", ""),
}


@pytest.mark.parametrize(("text", "place"), PACKS.values(), ids=PACKS)
def test_a_pack_that_cannot_be_read_changes_nothing(shared_tenant: Tenant, text: str, place: str) -> None:
    reply = shared_tenant.send("POST", "/api/policies/import", {"yaml": text})
    refused(reply, 400, "invalid_policy", place or None)


def test_a_pack_that_is_too_large(shared_tenant: Tenant) -> None:
    refused(shared_tenant.send("POST", "/api/policies/import", {"yaml": "#" * 262_145}), 400, "invalid_body", "yaml")
    wide = shared_tenant.send("POST", "/api/policies/import", {"yaml": "#" + "ä" * 200_000})
    refused(wide, 400, "invalid_policy", "pack")


@pytest.mark.parametrize("body", [{}, {"pack": "none such"}, {"pack": "../default"}, {"pack": "default", "yaml": "x"}])
def test_a_pack_that_is_not_there(shared_tenant: Tenant, body: dict[str, str]) -> None:
    refused(shared_tenant.send("POST", "/api/policies/import", body), 400, "invalid_policy")


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("(a+)+$", "a" * 1999 + "!", False),
        ("(a+)+$", "a" * 2000, True),
        ("^(a|aa)+$", "a" * 1999 + "b", False),
        ("^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 2000, False),
        ("(.*)*x$", "y" * 2000, False),
    ],
)
def test_a_pattern_that_would_backtrack_answers_rightly(
    shared_tenant: Tenant, pattern: str, text: str, found: bool
) -> None:
    """An engine that backtracks would not come back from any of these within the life of the machine."""
    rules = {"when": leaf(field="declared_goal", op="matches", value=pattern), "action": "block"}
    draft = {"name": "p", "policy_type": "condition", "rules": rules}
    context = {"action_type": "look", "declared_goal": text}
    tried = shared_tenant.call("POST", "/api/policies/test", {"policies": [draft], "context": context})
    assert tried["result"]["decision"] == ("block" if found else "allow")


def test_a_name_that_is_taken(shared_tenant: Tenant) -> None:
    draft = {"name": "Ask before high risk", "policy_type": "risk_threshold", "rules": {}}
    refused(shared_tenant.send("POST", "/api/policies", draft), 409, "policy_exists", None)


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_policy_that_somebody_changed_meanwhile_is_left_as_it_is(tenant: Tenant, method: str) -> None:
    policy_id = tenant.policy("mine", "block_action_type", {"action_types": ["wipe"]})

    def now() -> dict[str, Any]:
        found = tenant.call("GET", "/api/policies")["policies"]
        return next(each for each in found if each["policy_id"] == policy_id)

    def change(version: int) -> Reply:
        if method == "DELETE":
            return tenant.send("DELETE", f"/api/policies/{policy_id}?if_version={version}")
        return tenant.send("PATCH", f"/api/policies/{policy_id}", {"active": False, "if_version": version})

    read = now()
    tenant.call("PATCH", f"/api/policies/{policy_id}", {"name": "theirs"})
    theirs = now()
    refused(change(read["version"]), 409, "policy_changed", "if_version")
    assert now() == theirs
    assert change(theirs["version"]).status == 200
