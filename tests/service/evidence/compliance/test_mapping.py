"""From evidence to controls: values by hand, and rules that hold for any evidence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.evidence.compliance import Control, Presence
from assent_service.evidence.compliance.evidence import KINDS, EvidenceRecords
from assent_service.evidence.compliance.frameworks import ControlText, frameworks, read
from assent_service.evidence.compliance.mapping import counted, gaps, mapped, presence

P, A = Presence.PRESENT, Presence.ABSENT
NONE = EvidenceRecords(0, [])


def control(*evidence: str) -> ControlText:
    return ControlText(id="X1", title="t", category="c", asks="a", relevance="r", evidence=list(evidence))


def with_status(*statuses: Presence) -> list[Control]:
    found = {"keys": EvidenceRecords(1, ["key_1"]), "halts": NONE}
    shapes = {P: control("keys"), A: control("halts"), Presence.PARTIAL: control("keys", "halts")}
    return [mapped(shapes[status], found, []) for status in statuses]


@pytest.mark.parametrize(
    ("statuses", "together"),
    [([P], P), ([A], A), ([P, A], Presence.PARTIAL), ([P, P], P), ([A, A], A), ([A, A, P], Presence.PARTIAL)],
)
def test_several_kinds_of_evidence(statuses: list[Presence], together: Presence) -> None:
    assert presence(statuses) is together


def test_a_control_names_its_records_and_what_is_missing() -> None:
    found = {
        "approvals": EvidenceRecords(12, ["apr_2", "apr_1"]),
        "denials": NONE,
        "policies": EvidenceRecords(1, ["pol_1"]),
    }
    made = mapped(control("approvals", "denials", "policies"), found, ["pol_1"])
    assert made.status is Presence.PARTIAL
    assert [(each.evidence, each.status, each.n, each.record_ids) for each in made.evidence] == [
        ("approvals", P, 12, ["apr_2", "apr_1"]),
        ("denials", A, 0, []),
        ("policies", P, 1, ["pol_1"]),
    ]
    assert made.gap_recommendations == [KINDS["denials"].remedy]
    assert made.matched_policies == ["pol_1"]
    assert mapped(control("denials"), found, ["pol_1"]).matched_policies == []


def test_counts_by_hand() -> None:
    counts = counted(with_status(P, P, Presence.PARTIAL, A))
    assert (counts.total_controls, counts.covered, counts.partial, counts.gaps) == (4, 2, 1, 1)
    # (2 + 0.5) / 4 = 62.5 percent, half up.
    assert counts.coverage_percentage == 63
    assert counted(with_status(Presence.PARTIAL, A, A)).coverage_percentage == 17
    assert counted([]).coverage_percentage == 0


@given(st.lists(st.sampled_from(list(Presence)), min_size=1, max_size=30))
def test_every_control_is_counted_once_and_gaps_are_the_rest(statuses: list[Presence]) -> None:
    controls = with_status(*statuses)
    counts = counted(controls)
    assert [each.status for each in controls] == statuses
    assert counts.covered + counts.partial + counts.gaps == counts.total_controls == len(statuses)
    share = 100 * (counts.covered + counts.partial / 2) / len(statuses)
    assert abs(counts.coverage_percentage - share) <= 0.5
    lacking = [each.status for each in gaps(controls)]
    assert len(lacking) == counts.partial + counts.gaps
    assert lacking == sorted(lacking, key=lambda status: status is not A)


def test_the_frameworks_there_are() -> None:
    there = frameworks()
    assert set(there) == {"soc2", "eu-ai-act"}
    assert {control.id.split("(")[0] for control in there["eu-ai-act"].controls} == {
        "Art. 12",
        "Art. 14",
        "Art. 19",
        "Art. 26",
    }
    for framework in there.values():
        ids = [control.id for control in framework.controls]
        assert len(set(ids)) == len(ids)


def test_every_kind_of_evidence_is_asked_for_and_none_says_compliant() -> None:
    used = {name for framework in frameworks().values() for each in framework.controls for name in each.evidence}
    assert used == set(KINDS)
    words = " ".join(
        text
        for framework in frameworks().values()
        for each in framework.controls
        for text in (each.title, each.asks, each.relevance)
    )
    assert "complian" not in (words + " ".join(kind.shows + kind.remedy for kind in KINDS.values())).lower()


def test_a_control_cannot_ask_for_evidence_that_nobody_knows() -> None:
    text = """
framework: f
title: t
version: v
source: s
controls:
  - {id: A1, title: t, category: c, asks: a, relevance: r, evidence: [keys, good_will]}
"""
    with pytest.raises(ValueError, match="f A1 names unknown evidence: good_will"):
        read(text)
