"""One draft as a form, as YAML and as the contract has it: each way round is the same policy."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.conditions import Op
from assent.contract.control.policies import PolicyDraft
from assent.contract.control.rules import PolicyType
from assent.packs import entry, line_of, parse_pack, write_pack
from assent_dashboard.views.policies import tree
from assent_dashboard.views.policies.conditions import from_line, to_line
from assent_dashboard.views.policies.draft import DEFAULTS, LONGEST_YAML, EditedPolicy, Problem, begin, read_yaml, tidy
from assent_dashboard.views.policies.sentences import does
from tests.dashboard.control.policy_drafts import drafts, rows, trees
from tests.tiers import examples

EVERY_TYPE = st.sampled_from(PolicyType).flatmap(drafts)


@pytest.mark.parametrize("policy_type", PolicyType)
def test_a_draft_is_the_same_as_form_as_yaml_and_for_the_api(policy_type: PolicyType) -> None:
    @given(drafts(policy_type))
    def same(policy: PolicyDraft) -> None:
        draft = EditedPolicy(base=None, data=entry(policy))
        assert draft.wrong() is None
        assert draft.policy() == policy
        assert parse_pack(draft.yaml) == [policy]
        other = EditedPolicy(base=None, data={"name": "x", "policy_type": "risk_threshold", "rules": {}})
        other.type_yaml(draft.yaml)
        assert (other.problem, other.data, other.policy()) == (None, draft.data, policy)
        # What the form writes: every member again, and each rule by itself.
        other.change(**{name: getattr(policy, name) for name in ("name", "active")}, mode=policy.mode.value)
        other.change(agent_ids=list(policy.agent_ids), explore=policy.explore)
        for name, value in draft.rules.items():
            other.change_rules(**{name: value})
        assert other.policy() == policy
        assert other.yaml == draft.yaml
        assert not does(policy.policy_type, policy.rules).startswith("Cannot be read")

    same()


@given(rows())
@examples(2)
def test_a_rows_value_is_the_same_when_it_was_a_line(row: dict[str, Any]) -> None:
    op, value = Op(row["op"]), row["value"]
    if op is Op.EXISTS:
        return
    line = to_line(op, value)
    assert "\n" not in line
    again = from_line(op, line)
    assert (again, type(again)) == (value, type(value))
    if isinstance(value, list):
        assert isinstance(again, list)
        assert [type(each) for each in again] == [type(each) for each in value]


@pytest.mark.parametrize(
    ("op", "line", "value"),
    [
        (Op.EQ, "60", 60),
        (Op.EQ, '"60"', "60"),
        (Op.EQ, "6.5", 6.5),
        (Op.EQ, "true", True),
        (Op.EQ, "True", "True"),
        (Op.EQ, "prod db", "prod db"),
        (Op.EQ, "1e999", "1e999"),
        (Op.GTE, "sixty", "sixty"),
        (Op.IN, "pay, refund", ["pay", "refund"]),
        (Op.IN, 'pay, "a, b", 3, "3"', ["pay", "a, b", 3, "3"]),
        (Op.IN, "", []),
        (Op.MATCHES, "60", "60"),
        (Op.STARTS_WITH, "rm, -rf", "rm, -rf"),
    ],
)
def test_what_is_typed_means_what_it_looks_like(op: Op, line: str, value: object) -> None:
    read = from_line(op, line)
    assert (read, type(read)) == (value, type(value))


@given(trees(), st.data())
def test_editing_one_place_of_a_tree_leaves_the_others(root: dict[str, Any], data: st.DataObject) -> None:
    paths = list(_paths(root))
    path = data.draw(st.sampled_from(paths))
    new = tree.row()
    assert tree.at(tree.put(root, path, new), path) == new
    assert tree.put(root, path, tree.at(root, path)) == root
    without = tree.remove(root, path)
    assert tree.size(without) < tree.size(root) or without == root
    more = tree.add(root, path, new)
    assert tree.size(more) in (tree.size(root) + 1, tree.size(root) + 2)
    assert tree.drawable(root) is (tree.size(root) <= tree.MOST)
    if tree.kind(tree.at(root, path)) in ("all", "any"):
        back = tree.regroup(tree.regroup(root, path, "any"), path, "all")
        assert tree.branches(tree.at(back, path)) == tree.branches(tree.at(root, path))
    for edited in (without, more):
        draft = EditedPolicy(
            base=None, data={"name": "n", "policy_type": "condition", "rules": {"when": edited, "action": "warn"}}
        )
        assert draft.wrong() is None


def _paths(root: dict[str, Any], path: tuple[int, ...] = ()) -> Any:
    yield path
    for place, branch in enumerate(tree.branches(root)):
        yield from _paths(branch, (*path, place))


@given(EVERY_TYPE)
def test_another_type_and_back_is_what_it_was(policy: PolicyDraft) -> None:
    draft = EditedPolicy(base=None, data=entry(policy))
    for other in PolicyType:
        draft.choose_type(other.value)
        assert draft.policy_type == other
    draft.choose_type(policy.policy_type)
    assert draft.policy() == policy


@given(st.text(max_size=200))
def test_any_text_is_read_or_told_why_not(text: str) -> None:
    read = read_yaml(text)
    if isinstance(read, Problem):
        assert read.message
        lines = len(re.split("\r\n|[\n\r\x85\u2028\u2029]", text))  # as YAML 1.1 counts them
        assert read.line is None or 1 <= read.line <= lines + 1


GOOD = """version: 1
policies:
- name: Ask
  policy_type: risk_threshold
  rules:
    threshold: 60
    action: block
"""


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (GOOD.replace("60", "160"), 6, "rules.threshold is 160"),
        (GOOD.replace("threshold:", "treshold:"), 5, "treshold"),
        (GOOD.replace("    threshold", "\tthreshold"), 6, "tab"),
        (GOOD.replace("action: block", "action: allow"), 7, "block"),
        (GOOD.replace("- name: Ask", "- name: ''"), 3, "name"),
        (GOOD.replace("rules:\n", "rules: &a\n"), 5, "anchor"),
        (GOOD + GOOD.partition("policies:\n")[2], None, "exactly one"),
        ("version: 1\npolicies: []\n", None, "none"),
        ("version: 2\npolicies: []\n", 1, "version 1"),
        ("a: b: c", 1, "Mend this line"),
        ("x" * (LONGEST_YAML + 1), None, "Shorten"),
    ],
)
def test_bad_yaml_is_told_with_its_line_and_the_form_keeps_the_last_good_draft(
    text: str, line: int | None, says: str
) -> None:
    draft = EditedPolicy(base=None, data={})
    draft.type_yaml(GOOD)
    before = draft.data
    assert (before["name"], before["rules"]) == ("Ask", {"threshold": 60, "action": "block"})
    draft.type_yaml(text)
    assert draft.problem is not None
    assert draft.wrong() == draft.problem
    assert says in draft.problem.message
    assert draft.problem.line == line
    assert draft.data == before
    assert draft.yaml == text, "what was typed stays"
    draft.change(name="Ask first")
    assert draft.wrong() is None
    assert parse_pack(draft.yaml)[0].name == "Ask first"


def test_a_new_policy_observes_and_needs_a_name() -> None:
    draft = begin(None)
    wrong = draft.wrong()
    assert draft.data["mode"] == "observe"
    assert wrong is not None
    assert (wrong.line, "name" in wrong.message) == (3, True)
    draft.change(name="Ask from 80 on")
    assert draft.wrong() is None
    for policy_type, rules in DEFAULTS.items():
        draft.choose_type(policy_type.value)
        assert draft.rules == rules


def test_what_is_as_it_would_be_anyway_is_left_out() -> None:
    data = tidy({"rules": {}, "active": True, "mode": "enforce", "agent_ids": [], "name": "a", "policy_type": "b"})
    assert list(data) == ["name", "policy_type", "rules"]
    assert list(tidy({**data, "active": False, "mode": "observe"})) == [
        "name",
        "policy_type",
        "mode",
        "active",
        "rules",
    ]


def test_a_place_has_a_line() -> None:
    text = write_pack([{"name": "a", "rules": {"when": {"all": [{"field": "x"}, {"field": "y"}]}}}])
    lines = text.splitlines()
    found = line_of(text, "policies[0].rules.when.all[1].field")
    assert found is not None
    assert lines[found - 1].strip() == "- field: y"
    assert line_of("a: [", "policies") is None


def test_what_occurs_twice_is_written_twice() -> None:
    shared = ["pay"]
    text = write_pack([{"name": "a", "agent_ids": shared, "x": shared}])
    assert "&" not in text
    assert "*" not in text
