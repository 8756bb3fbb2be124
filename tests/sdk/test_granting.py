"""What is looked at before a standing grant is given: its conditions one by one, and what it would have covered."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from assent.contract.analysis.grant_previews import GrantPreview
from assent.contract.control.grants import GrantDraft
from assent.granting import NOBODY, opened, part_in_words, parts_of, unbound, unbound_metadata, when_of, why_not, would

AMOUNT = {"field": "parameters.amount", "op": "lte", "value": 50}
SYSTEM = {"field": "systems_touched", "op": "contains", "value": "bank"}


def draft(when: dict[str, Any] | None, **more: Any) -> GrantDraft:
    members = {"action_id": "act_1", "agent_ids": ["payer"], "action_type": "pay", "max_risk": 20.0, "covers": True}
    return msgspec.convert(members | {"when": when, "why_not": None, "exact": {}, "unbound": []} | more, GrantDraft)


def preview(**members: Any) -> GrantPreview:
    counts = ("looked_at", "covered", "approved", "denied", "granted", "ran", "failed", "no_outcome", "clusters")
    nothing = dict.fromkeys((*counts, "always_asked", "simulated"), 0)
    rest = {"since": datetime(2026, 11, 1, tzinfo=UTC), "by_agent": [], "failures_high": None, "near_misses": []}
    return msgspec.convert(nothing | rest | {"truncated": False} | members, GrantPreview)


@pytest.mark.parametrize(
    ("when", "without", "left"),
    [
        ({"all": [AMOUNT, SYSTEM]}, (), {"all": [AMOUNT, SYSTEM]}),
        ({"all": [AMOUNT, SYSTEM]}, (0,), {"all": [SYSTEM]}),
        ({"all": [AMOUNT, SYSTEM]}, (0, 1), None),
        ({"all": [AMOUNT, SYSTEM]}, (7,), {"all": [AMOUNT, SYSTEM]}),
        (AMOUNT, (), {"all": [AMOUNT]}),
        (AMOUNT, (0,), None),
        (None, (0,), None),
        ({"not": {"all": [AMOUNT, SYSTEM]}}, (), {"all": [{"not": {"all": [AMOUNT, SYSTEM]}}]}),
    ],
)
def test_conditions_are_left_out_one_by_one(
    when: dict[str, Any] | None, without: tuple[int, ...], left: dict[str, Any] | None
) -> None:
    assert when_of(parts_of(draft(when)), without) == left


def test_a_condition_in_words() -> None:
    assert [part_in_words(each) for each in parts_of(draft({"all": [AMOUNT, SYSTEM]}))] == [
        "parameters.amount is at most 50",
        "systems touched contains “bank”",
    ]
    odd = [
        {"field": "parameters. amount", "op": "eq", "value": 5},
        {"field": "parameters.amount ", "op": "contains", "value": "a\nb"},
    ]
    assert [part_in_words(each) for each in parts_of(draft({"all": odd}))] == [
        'parameters."␣amount" (other blanks than in “amount”) is 5',
        'parameters."amount␣" (other blanks than in “amount”) contains “a ⏎ b”',
    ]
    hidden = [
        {"field": "parameters.to_iban", "op": "eq", "value": "DE89 "},
        {"field": "parameters.to", "op": "in", "value": ["ben", "p\u0430yp\u0430l"]},
        {"field": "parameters.x", "op": "eq", "value": 'a" and amount gte 5 or "' + "x" * 300},
        {"field": "parameters.dry_run", "op": "exists", "value": False},
    ]
    assert [part_in_words(each) for each in parts_of(draft({"all": hidden}))] == [
        "parameters.to_iban is “DE89␣”",
        "parameters.to is one of “ben” or “p\u0430yp\u0430l” (other characters than in “paypal”)",
        f'parameters.x is “a" and amount gte 5 or "{"x" * 300}”',
        "parameters.dry_run is not there",
    ]


WHOLE: list[dict[str, Any]] = [
    {"field": "parameters", "members": ["to", "amount "]},
    {"field": "parameters.to", "digest": "sha256:" + "ab" * 32},
    {"field": "parameters", "digest": "sha256:" + "ab" * 32},
    {"field": "parameters_digest", "op": "eq", "value": "sha256:" + "ab" * 32},
    {"field": "parameters", "op": "exists", "value": False},
    {"field": "declared_goal", "op": "eq", "value": "Pay"},
    {"not": AMOUNT},
]


def test_parts_about_whole_values_in_words_and_what_is_open_without_them() -> None:
    found = draft({"all": WHOLE}, exact={"parameters.to": "2 items"})
    assert [part_in_words(each, found.exact) for each in parts_of(found)][:3] == [
        'parameters are to, "amount␣" (other blanks than in “amount”) and no others',
        "parameters.to: exactly as here (2 items)",
        "parameters is exactly the value with the digest sha256:abababababab",
    ]
    assert [opened(each) for each in parts_of(found)] == [
        "further arguments of any name and value", "any to", "any arguments", "any arguments",
        "arguments of any name and value", "any declared_goal", None,
    ]  # fmt: skip


def test_arguments_that_no_condition_binds_are_named() -> None:
    assert unbound(draft(None)) is None
    assert unbound(draft(None, unbound=["mail.to", "x y "])) == (
        'No condition can bind mail.to, "x y␣" (other blanks than in “x y”): a grant lets any value of it through.'
    )


def test_metadata_are_said_to_be_open() -> None:
    assert unbound_metadata(draft(None)) is None
    assert unbound_metadata(draft(None, unbound_metadata=["to", "p\u0430y"])) == (
        "Metadata are not bound, and may be others: to, p\u0430y (other characters than in “pay”)."
    )


def test_why_no_grant_is_used() -> None:
    assert why_not(draft(None)) is None
    assert why_not(draft(None, why_not="it always asks")) == "it always asks"
    assert why_not(draft(None, agent_ids=[])) == NOBODY


def test_what_it_would_have_covered_in_sentences() -> None:
    assert would(preview(looked_at=1)) == [
        "In 30 days it would have covered 0 of 1 request of this type that people were asked about."
    ]
    miss = {"place": "max_risk", "says": "the risk is above 20", "n": 3, "action_ids": []}
    covered = {"looked_at": 40, "covered": 20, "approved": 18, "denied": 2, "ran": 17, "failed": 1}
    found = preview(**covered, failures_high=0.2749, near_misses=[miss], always_asked=2, simulated=4)
    assert would(found)[1:] == [
        "Of these people allowed 18 and denied 2.",
        "1 of 17 that ran failed (at most 27 % at 95 % confidence).",
        "2 would be asked about anyway, by a policy that always asks.",
        "3 more but for: the risk is above 20.",
        "4 of the covered ones were simulated.",
    ]
    assert "1 of 1 that ran failed (too few ran to bound that)." in would(preview(covered=1, ran=1, failed=1))
