"""Exploring on the page Policies: the share of a policy where its kind allows one, and the organization's consent."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.control.exploration import check_explore
from assent.contract.control.rules import PolicyError, PolicyType, parse_rules
from assent.contract.people.organizations import HIGHEST_BOUND, Organization
from assent_dashboard.views.policies.draft import DEFAULTS, EditedPolicy
from assent_dashboard.views.policies.exploring import may_explore, opted_in_words, other_in_words, pressed_in_words
from tests.dashboard.control.policy_drafts import RULES
from tests.dashboard.control.test_policies_explored import AT
from tests.dashboard.looker import Looker
from tests.stories.tenant import Tenant

Look = Callable[..., Looker]
ORGANIZATION = Organization(org_id="org_1", name="Acme", slug="acme", created_at=AT)


def edited(policy_type: str, **rules: object) -> EditedPolicy:
    return EditedPolicy(base=None, data={"name": "x", "policy_type": policy_type, "rules": rules})


def has(looker: Looker, key: str) -> bool:
    return any(each.key == key for each in looker.page.number_input)


def opened(looker: Looker, policy_id: str) -> Looker:
    looker.page.query_params["policy_id"] = policy_id
    return looker.draw()


@pytest.mark.parametrize("policy_type", PolicyType)
@given(data=st.data())
def test_the_form_offers_a_share_where_the_contract_takes_one(policy_type: PolicyType, data: st.DataObject) -> None:
    rules = data.draw(RULES[policy_type])
    try:
        check_explore(parse_rules(policy_type, rules), 0.1)
        takes = True
    except PolicyError:
        takes = False
    assert may_explore(edited(policy_type.value, **rules)) is takes


@pytest.mark.parametrize("policy_type", PolicyType)
def test_nothing_explores_to_begin_with(policy_type: PolicyType) -> None:
    draft = edited(policy_type.value, **DEFAULTS[policy_type])
    assert "explore" not in draft.yaml
    draft.change(explore=0.02)
    assert "explore: 0.02" in draft.yaml
    draft.change(explore=0.0)
    assert "explore" not in draft.yaml


def test_an_admin_opts_in_and_out_below_the_list(look: Look, house: Tenant) -> None:
    path = f"/api/orgs/{house.org_id}"
    looker = look(house, "policies", "admin").draw()
    assert "The organization has not opted in, so nothing is explored, whatever the share." in looker.words
    assert "never a block" in looker.words
    assert looker.page.button(key="explore_save").disabled
    looker.page.number_input(key="explore_below_0").set_value(40.0).run()
    assert house.call("GET", path)["organization"]["explore_below"] == 0, "what is typed changes nothing"
    assert looker.page.button(key="explore_save").label == "Opt in"
    looker.press("explore_save").draw()
    assert house.call("GET", path)["organization"]["explore_below"] == 40
    assert "The organization has opted in for risks below 40." in looker.words
    looker.page.number_input(key="explore_below_40").set_value(0.0).run()
    assert looker.page.button(key="explore_save").label == "Opt out"
    looker.press("explore_save").draw()
    assert house.call("GET", path)["organization"]["explore_below"] == 0


def test_a_bound_above_what_may_be_cannot_be_typed(look: Look, house: Tenant) -> None:
    looker = look(house, "policies", "admin").draw()
    field = looker.page.number_input(key="explore_below_0")
    assert (field.min, field.max) == (0, HIGHEST_BOUND)


def test_an_operator_is_told_who_knows_and_changes_nothing(look: Look, house: Tenant) -> None:
    looker = look(house, "policies").draw()
    assert "only where the organization has opted in, which an admin's key sees." in looker.words
    assert not looker.has("explore_save")
    assert not any("/api/orgs" in each for each in looker.requests.take())


def test_the_share_of_a_policy_is_in_its_form_with_its_bounds(look: Look, house: Tenant) -> None:
    policy_id = house.policy("Ask at 60", "risk_threshold", {"threshold": 60, "action": "require_approval"})
    looker = opened(look(house, "policies", "admin"), policy_id)
    field = looker.page.number_input(key="policy_explore")
    assert (field.value, field.min, field.max) == (0, 0, 50)
    assert "lets pass with a warning instead of asking" in looker.words
    assert "has not opted in, so nothing is explored, whatever the share" in looker.words
    field.set_value(2.0).run()
    assert "explore: 0.02\n" in str(looker.draw().page.text_area(key="policy_yaml").value)
    looker.page.selectbox(key="policy_rule_action").set_value("block").run()
    looker.draw()
    assert "This kind of policy cannot explore. Set the share to 0." in looker.words
    looker.page.number_input(key="policy_explore").set_value(0.0).run()
    assert not has(looker.draw(), "policy_explore")


def test_the_words_of_a_share_and_of_consent() -> None:
    warns = edited("condition", action="warn")
    assert "it asks a person instead of warning" in other_in_words(warns)
    assert "it lets pass with a warning instead of asking" in other_in_words(edited("require_approval"))
    assert "which an admin's key sees" in opted_in_words(None)
    assert "has not opted in" in opted_in_words(ORGANIZATION)
    assert opted_in_words(msgspec.structs.replace(ORGANIZATION, explore_below=62.5)).endswith("risks below 62.5.")
    assert [pressed_in_words(*each) for each in ((0, 40), (40, 20), (40, 0))] == ["Opt in", "Save the bound", "Opt out"]
