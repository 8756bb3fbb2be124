"""Whatever was approved, a claim that differs in any one member is refused, and the same one is not."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assent.contract.control.approvals import ApprovalState
from assent.contract.control.claims import ClaimAction
from assent.proof.act import ACT, act_digest
from assent_service.control.approvals.claim import approved_act, claimed_act, differing
from assent_service.control.approvals.transition import request
from tests.service.control.actions.samples import NINE, an_action

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SYSTEMS = st.lists(TEXTS, max_size=4)
DIGESTS = st.none() | st.binary(min_size=32, max_size=32).map(lambda found: f"sha256:{found.hex()}")
MEMBERS: dict[str, st.SearchStrategy[Any]] = {
    "action_type": TEXTS.filter(bool),
    "declared_goal": st.none() | TEXTS,
    "systems_touched": SYSTEMS,
    "parameters_digest": DIGESTS,
}
ACTS = st.fixed_dictionaries(MEMBERS)


def compared(approved: dict[str, Any], claimed: dict[str, Any]) -> tuple[list[str], bool]:
    """What differs, and whether the digests are the same, after both went over the wire and through the store."""
    action = an_action(**approved)
    receipt = request(action, approval_id="apr_1", reasons=(), matched=(), expires_at=NINE)
    assert receipt.state is ApprovalState.AWAITING
    was, came = approved_act(action, receipt), claimed_act(ClaimAction(**json.loads(json.dumps(claimed))))
    assert receipt.act_digest == was.digest == act_digest(**approved)
    return differing(was, came), was.digest == came.digest


@given(ACTS)
def test_the_same_act_is_never_refused(approved: dict[str, Any]) -> None:
    assert compared(approved, approved) == ([], True)


@given(ACTS, st.sampled_from(ACT), st.data())
def test_a_change_in_any_one_member_is_always_refused(approved: dict[str, Any], name: str, data: st.DataObject) -> None:
    other = data.draw(MEMBERS[name].filter(lambda found: found != approved[name]))
    assert compared(approved, approved | {name: other}) == ([name], False)


@given(ACTS, ACTS)
def test_exactly_the_members_that_differ_are_named(approved: dict[str, Any], claimed: dict[str, Any]) -> None:
    expected = [name for name in ACT if approved[name] != claimed[name]]
    assert compared(approved, claimed) == (expected, not expected)


@given(ACTS, st.permutations(range(4)))
def test_another_order_of_systems_is_another_act(approved: dict[str, Any], order: list[int]) -> None:
    systems = ["a", "b", "c", "d"]
    moved = [systems[place] for place in order]
    names, same = compared(approved | {"systems_touched": systems}, approved | {"systems_touched": moved})
    assert (names, same) == (([], True) if moved == systems else (["systems_touched"], False))
