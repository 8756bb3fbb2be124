"""Requests, queries and records: what each of the three shapes does with what it does not know or was not given."""

import importlib
import pkgutil
import re
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import fields

from assent import contract
from assent.contract.analysis.learning import LearningDirection
from assent.contract.control.actions import Verification
from assent.contract.control.rules import AlwaysAsk
from assent.contract.exchange.goals import Goal
from assent.contract.exchange.records import KINDS, REQUESTS
from assent.contract.record import Id, Limit, Query, Record, Request, Score
from tests.every import every


class Order(Request, frozen=True, kw_only=True):
    name: str
    amount: int = 1
    note: str | None = None


class Receipt(Record, frozen=True, kw_only=True):
    order_id: str
    note: str | None
    extra: int | UnsetType = UNSET


RECEIPT = Receipt(order_id="o1", note=None)


NOW = "2026-11-20T12:00:00Z"
NO_HOURS = dict.fromkeys(("quiet_from", "quiet_until", "time_zone"), "")
ADDED_LATER: dict[str, dict[str, Any]] = {
    "AskedGroup": {"attention_low": None, "attention_high": None},
    "AskingWorth": {"attention": None},
    "PolicyDetail": {"warnings": msgspec.NODEFAULT},
    "ImportedPolicies": {"warnings": msgspec.NODEFAULT},
    "Check": {"code": None},
    "Key": {"any_agent": False},
    "Action": {
        "verification": Verification.UNSIGNED,
        **dict.fromkeys(("externality", "parameters_digest", "action_type_as_sent")),
    },
    "Approval": {
        "refused_claims": 0,
        **dict.fromkeys(("systems_touched", "conditions"), msgspec.NODEFAULT),
        **dict.fromkeys(
            ("parameters_digest", "act_digest", "valid_until", "claimed_at", "claimed_by", "claim_idempotency_key")
        ),
        "self_decided": None,
        "grant_id": None,
    },
    **{name: {"withdrawn": 0} for name in ("ApprovalInsight", "WeekApprovals")},
    "Organization": {"updated_at": None, "explore_below": 0.0},
    "OrganizationRow": {"updated_at": None, "explore_below": 0.0, "explore_seed": ""},
    "Backtest": {"flows": msgspec.NODEFAULT},
    "FlowTrace": {
        **dict.fromkeys(("label_calls", "removed", "past", "gaps"), msgspec.NODEFAULT),
        "recalled": True,
        "reads": False,
        "ordered": False,
    },
    "FlowValue": {"chosen": True},
    "FlowSession": {"removed": msgspec.NODEFAULT},
    "Policy": {"explore": 0.0, "always_ask": AlwaysAsk.NEVER},
    "GrantDraft": {"unbound_metadata": msgspec.NODEFAULT},
    "GuardDecision": {"propensity": 1.0, "explored": False},
    "WeekRate": dict.fromkeys(
        (
            *("clusters", "basis", "n_effective", "clustered_low", "clustered_high"),
            *("clustered_difference_low", "clustered_difference_high"),
        )
    ),
    "ProfileScoreStats": dict.fromkeys(("clusters", "basis", "n_effective", "clustered_low", "clustered_high")),
    "ScaleSuggestion": dict.fromkeys(("clusters", "n_effective", "basis")),
    "ReliabilityBin": {"stopped": 0, "cancelled": 0, "least": None, "most": None},
    "PredictionQuality": {
        "stopped": 0,
        "cancelled": 0,
        **dict.fromkeys(("clusters", "basis", "n_effective", "clustered_low", "clustered_high")),
        **dict.fromkeys(("base_least", "base_most")),
    },
    "DriftAlert": {
        "established": False,
        **dict.fromkeys(
            ("clusters", "recent_clusters", "n_effective", "basis", "change_earliest_at", "change_latest_at")
        ),
    },
    "DriftStats": {"established": 0},
    "ComparedMetric": {
        **dict.fromkeys(("clusters_baseline", "clusters_recent", "n_effective", "basis")),
        "standardised": False,
        "unmatched": 0,
    },
    "LearningVelocity": {
        **dict.fromkeys(("standardized", "standardized_low", "standardized_high", "mix", "kinds", "clusters", "basis")),
        "unmatched": None,
        **{f"score_delta_{name}": None for name in ("low", "high", "clusters", "n_effective", "basis")},
        "direction": LearningDirection.UNCLEAR,
        **{f"without_season{end}": None for end in ("", "_low", "_high")},
    },
    "LearningSummary": {"stopped": 0, "cancelled": 0, "success_least": None, "success_most": None},
    **{
        name: {
            "tests": msgspec.NODEFAULT,
            "clusters": 0,
            "basis": None,
            "stopped": 0,
            "cancelled": 0,
            "success_least": None,
            "success_most": None,
        }
        for name in ("Lesson", "Recommendation")
    },
    "MessageRow": {"audience": ()},
    "Webhook": {"notice": False, "digest_minutes": 0, **NO_HOURS},
    "WebhookRow": {"sealed": "", "digest_minutes": 0, **NO_HOURS},
    **{name: {"first_n": None} for name in ("WebhookDelivery", "DeliveryRow")},
    "RoutingAgentRow": {"deleted_at": None},
    "WorkspaceReadiness": {"known_types": None},
    **{name: {"warnings": msgspec.NODEFAULT} for name in ("SentMessage", "CreatedHandoff", "RecordedAssumption")},
}
"""Members that came after their record was released: rows and services from before lack them."""
REPEATED = {
    "AgentConnection": ("id", "connection_id"),
    "Handoff": ("id", "handoff_id"),
    "KeyPoint": ("id", "point_id"),
    "Thread": ("id", "thread_id"),
    "ThreadEntry": ("id", "entry_id"),
}
"""Members that the record fills itself, with what another one says."""
BEGINNINGS: dict[str, dict[str, Any]] = {
    "Approach": {"success_count": 0, "fail_count": 0},
    "KnowledgeCollection": {"doc_count": 0, "last_synced_at": None},
    "KnowledgeItem": {"status": "pending"},
    "Session": dict.fromkeys(("green_level", "branch_freshness", "commits_behind", "blocked_reason")),
    "SharedDoc": {"version": 1},
    "Snippet": {"use_count": 0, "last_used_at": None},
    "WorkflowTemplate": {"version": 1, "duplicated_from": None},
}
"""What a row of a kind begins with, besides what was said in the request that it is made from."""


WHERE_THERE_IS: dict[str, dict[str, Any]] = {
    "ProofCheck": {"expected": None, "found": None},
}
"""Members that a check has where two values were compared."""


MUST = {
    "FrameworkQuery": {"framework"},
    "ReportQuery": {"framework"},
    "InclusionQuery": {"n"},
    "ConsistencyQuery": {"from_"},
}
"""Parameters that have to be given."""


def shapes() -> list[type[Struct]]:
    """Every request, query and record of the contract."""
    found = []
    for module in pkgutil.walk_packages(contract.__path__, "assent.contract."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, Request | Query | Record):
                found.append(value)
    return list(dict.fromkeys(found))


def test_a_request_leaves_out_what_was_not_given() -> None:
    assert msgspec.json.encode(Order(name="x")) == b'{"name":"x"}'
    assert msgspec.json.encode(Order(name="x", amount=1, note=None)) == b'{"name":"x"}'
    assert msgspec.json.encode(Order(name="x", amount=2)) == b'{"name":"x","amount":2}'


def test_null_and_absent_mean_the_same_in_a_request() -> None:
    assert msgspec.convert({"name": "x", "note": None}, Order) == msgspec.convert({"name": "x"}, Order)


def test_a_record_always_carries_every_member_but_those_that_are_unset() -> None:
    assert msgspec.json.decode(msgspec.json.encode(RECEIPT)) == {"order_id": "o1", "note": None}


def test_an_older_client_survives_a_newer_service() -> None:
    newer = b'{"order_id": "o1", "note": null, "invented_later": {"a": 1}}'
    assert msgspec.json.decode(newer, type=Receipt) == RECEIPT


def test_a_record_reads_like_a_dictionary() -> None:
    assert RECEIPT["order_id"] == "o1"
    assert RECEIPT["note"] is None
    assert RECEIPT.get("note", "fallback") is None
    assert RECEIPT.get("no_such", "fallback") == "fallback"
    assert RECEIPT.get("no_such") is None
    assert "note" in RECEIPT
    assert "no_such" not in RECEIPT
    assert 1 not in RECEIPT


def test_an_unset_member_is_absent() -> None:
    assert "extra" not in RECEIPT
    assert RECEIPT.get("extra", 7) == 7
    with pytest.raises(KeyError):
        RECEIPT["extra"]
    assert Receipt(order_id="o1", note=None, extra=0)["extra"] == 0


def test_a_misspelt_name_says_what_there_is() -> None:
    with pytest.raises(KeyError, match=r"Receipt has no member 'ordr_id'; it has order_id, note, extra"):
        RECEIPT["ordr_id"]


@pytest.mark.parametrize("name", ["get", "__class__", "__getitem__", "__struct_fields__"])
def test_methods_and_inner_workings_are_no_members(name: str) -> None:
    assert name not in RECEIPT
    assert RECEIPT.get(name) is None
    with pytest.raises(KeyError):
        RECEIPT[name]


@every("shape", shapes(), ids=lambda shape: shape.__name__)
def test_every_shape_is_frozen_and_takes_keywords_only(shape: type[Struct]) -> None:
    assert shape.__struct_config__.frozen
    with pytest.raises(TypeError):
        shape("positional")
    # The row of a kind is both: it has its request's members, and is encoded as the record it is.
    assert shape.__struct_config__.omit_defaults is not issubclass(shape, Record)
    assert not shape.__struct_config__.forbid_unknown_fields


def reasons(record: type[Record]) -> dict[str, Any]:
    """Every member that may have a default, with that default."""
    made_from = [base for base in record.__bases__ if issubclass(base, Request)]
    said = {field.name: field.default for base in made_from for field in fields(base) if not field.required}
    repeated = {REPEATED[record.__name__][0]: ""} if record.__name__ in REPEATED else {}
    return (
        said
        | repeated
        | ADDED_LATER.get(record.__name__, {})
        | BEGINNINGS.get(record.__name__, {})
        | WHERE_THERE_IS.get(record.__name__, {})
    )


RECORDS = [shape for shape in shapes() if issubclass(shape, Record)]


@every("record", RECORDS, ids=lambda record: record.__name__)
def test_a_record_has_no_default_without_a_reason(record: type[Record]) -> None:
    defaults = {field.name: field.default for field in fields(record) if not field.required}
    found = {name: value for name, value in defaults.items() if value is not UNSET}
    assert found == reasons(record), (
        f"{record.__name__} would let silence of an older service or row be taken for a value: a member is given "
        "always, or stands in one of this file's tables of reasons (ADDED_LATER for one that came after its release)"
    )


def test_what_a_row_of_a_kind_may_leave_out_is_what_its_request_may() -> None:
    rows = [record for record in RECORDS if issubclass(record, Request)]
    assert {kind.row for kind in KINDS.values()} == set(rows)
    for kind in KINDS.values():
        assert REQUESTS[kind.name] in kind.row.__bases__
    assert {row.__name__ for row in rows} >= BEGINNINGS.keys()


def test_a_record_is_encoded_with_its_defaults_too() -> None:
    said = {"title": "Ship it", "status": "active"}
    kept = {"org_id": "org_1", "goal_id": "goal_1", "created_by": "key_1"}
    goal = msgspec.convert(said | kept | {"created_at": NOW, "updated_at": NOW}, Goal)
    encoded = msgspec.json.decode(msgspec.json.encode(goal))
    assert encoded.items() >= (said | kept).items()
    assert set(encoded) - set(said | kept) - {"created_at", "updated_at"} == {
        *("description", "category", "progress", "target_date", "agent_id", "metadata"),
    }


@every("record", RECORDS, ids=lambda record: record.__name__)
def test_an_id_that_is_said_twice_is_filled_in(record: type[Record]) -> None:
    if record.__name__ in REPEATED:
        again, own = REPEATED[record.__name__]
        texts = {field.name: "x" for field in fields(record) if field.name != again}
        assert record(**texts | {own: "the_id"})[again] == "the_id"


@every("shape", shapes(), ids=lambda shape: shape.__name__)
def test_a_query_can_be_left_out(shape: type[Struct]) -> None:
    if issubclass(shape, Query):
        # There is no framework that everybody means, and no event or earlier log to prove.
        must = MUST.get(shape.__name__, set())
        assert {field.name for field in fields(shape) if field.required} == must


@given(st.text(max_size=140))
def test_an_id_is_safe_in_a_path_a_header_and_a_line(text: str) -> None:
    safe = re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,127}", text) is not None and text.isascii()
    assert accepts(Id, text) is safe


@pytest.mark.parametrize(
    "text", ["", "\n", "a\n", "\na", "a/b", "a b", "a%2fb", "é", "a\0", "?", "#", "a" * 129, "\u0661", ".", "..", "-a"]
)
def test_an_id_holds_nothing_to_escape(text: str) -> None:
    assert not accepts(Id, text)


@pytest.mark.parametrize(
    ("kind", "value", "good"),
    [
        (Score, 0, True),
        (Score, 100, True),
        (Score, 99.5, True),
        (Score, -0.1, False),
        (Score, 100.1, False),
        (Score, float("nan"), False),
        (Score, float("inf"), False),
        (Score, "50", False),
        (Score, True, False),
        (Limit, 1, True),
        (Limit, 200, True),
        (Limit, 0, False),
        (Limit, 201, False),
        (Annotated[int, "unbounded"], 10**30, True),
    ],
)
def test_scores_and_limits_have_their_range(kind: Any, value: object, good: bool) -> None:
    assert accepts(kind, value) is good


def accepts(kind: Any, value: object) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True
