"""A misspelt member comes back as a warning that names the right one; a stranger's own member is nobody's business."""

from __future__ import annotations

import random
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.spelling import PUBLISHED
from assent_service.control.guard import spelling
from assent_service.control.guard.spelling import OF_CREATION, OF_GUARD_ALONE, misspelt, slips
from tests.live import LiveService

OF_OTHERS = (
    *("tool", "intel", "recommendation_id", "recommendation_applied", "recommendation_override_reason", "plan_step_id"),
    *("outcome_status", "containment_status", "harness_session_id", "guard_decision_id", "created_by", "signature"),
    *("content", "to", "from", "type", "url", "amount", "currency", "customer", "region", "environment", "branch"),
    *("sources", "models", "modes", "statuses", "resource", "course", "irreversible", "system", "systems", "agent"),
    *("actions", "goal", "goals", "risk", "score", "scores", "session", "message", "reason", "reasons", "priority"),
    *("created_at", "updated_at", "started_at", "ended_at", "output", "input", "text", "title", "description", "tags"),
)
"""What published servers and clients say beside the contract, and words that people use for things of their own."""


def named(warnings: tuple[str, ...]) -> list[str]:
    return [warning.rsplit("'", 2)[1] for warning in warnings]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("declared_gaol", "declared_goal"),
        ("declaredgoal", "declared_goal"),
        ("Declared-Goal", "declared_goal"),
        ("decalred_gaol", "declared_goal"),
        ("declare_goal", "declared_goal"),
        ("system_touched", "systems_touched"),
        ("systems_toched", "systems_touched"),
        ("reversable", "reversible"),
        ("risk_scores", "risk_score"),
        ("rsik_score", "risk_score"),
        ("actoin_type", "action_type"),
        ("paramters", "parameters"),
        ("parameter_digest", "parameters_digest"),
        ("meta_data", "metadata"),
        ("soruce", "source"),
        ("runtmie", "runtime"),
        ("ocurred_at", "occurred_at"),
        ("session-id", "session_id"),
    ],
)
def test_a_slip_is_warned_of_with_the_right_name(name: str, meant: str) -> None:
    for creating in (False, True):
        (warning,) = misspelt({"action_type": "deploy", name: "x"}, creating=creating)
        assert warning == f"{name!r} is no member that guard looks at; did you mean {meant!r}?"


@pytest.mark.parametrize("name", [*OF_OTHERS, *PUBLISHED, *PUBLISHED.values(), *OF_CREATION])
def test_what_others_say_is_no_slip(name: str) -> None:
    assert misspelt({name: 1}, creating=False) == misspelt({name: 1}, creating=True) == ()


def test_a_creation_has_more_members_to_be_misspelt() -> None:
    assert misspelt({"idempotency_kye": "x"}, creating=False) == ()
    assert named(misspelt({"idempotency_kye": "x", "reasonning": "y"}, creating=True)) == [
        "idempotency_key", "reasoning"
    ]  # fmt: skip


LONG = sorted(name for name in OF_GUARD_ALONE if len(name.replace("_", "")) >= spelling.ONE_SLIP_FROM)


@given(st.sampled_from(LONG), st.randoms(use_true_random=False))
def test_any_one_slip_of_a_longer_name_is_found(name: str, chance: random.Random) -> None:
    at = chance.randrange(len(name))
    letter = chance.choice(string.ascii_lowercase)
    without, after = name[:at] + name[at + 1 :], name[at + 1 :]
    exchanged = name[:at] + name[at : at + 2][::-1] + name[at + 2 :]
    slipped = chance.choice([without, name[:at] + letter + name[at:], name[:at] + letter + after, exchanged])
    warnings = misspelt({slipped: 1}, creating=False)
    assert named(warnings) == ([] if slipped in spelling.KNOWN else [name])


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("ca", "abc", 3), ("gaol", "goal", 1), ("ab", "ba", 1)],
)
def test_slips_are_counted(one: str, other: str, count: int) -> None:
    assert slips(one, other) == slips(other, one) == count


def test_what_a_stranger_can_fill_is_bounded() -> None:
    for number in range(3 * spelling.MAX_KEPT):
        assert misspelt({f"own_{number}": 1}, creating=False) == ()
    assert len(vars(spelling)["_kept"]) <= spelling.MAX_KEPT
    many: dict[str, Any] = {f"declared_goal{number:03}": 1 for number in range(5000)} | {"x" * 10**6: 1}
    assert misspelt(many, creating=False) == ()
    slipped = {f"declared_goa{chr(letter)}": 1 for letter in range(0x100, 0x180)}
    assert len(misspelt(slipped, creating=False)) == spelling.MOST


def test_a_slip_is_told_and_decides_nothing(live_service: LiveService) -> None:
    body = {"action_type": "deploy", "declared_gaol": "Release 4.2", "customer": "Acme"}
    status, said = live_service.call("POST", "/api/guard", body)
    assert (status, said["decision"]) == (200, "allow")
    assert said["warnings"] == ["'declared_gaol' is no member that guard looks at; did you mean 'declared_goal'?"]
    status, made = live_service.call("POST", "/api/actions", body | {"agent_id": "slips"})
    assert (status, made["decision"]["warnings"]) == (201, said["warnings"])
    status, proof = live_service.call("POST", "/api/governance/proof/verify", {"action_id": made["action_id"]})
    statuses = {check["name"]: check["status"] for check in proof["checks"]}
    assert (status, proof["ok"], statuses["policy_replay"]) == (200, True, "pass"), proof["checks"]
