"""From the evidence that was found to what a control's evidence amounts to. Pure.

1. A kind of evidence is present when there is at least one record of it, else absent.
2. A control is `present` when every kind of its evidence is, `absent` when none is, and `partial` between.
3. What is missing comes with how to come by it, once for each kind.
4. Nothing adds up to a verdict: whether the evidence is enough is for people to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assent.contract.evidence.compliance import Control, ControlCounts, EvidenceFound, Presence
from assent_service.evidence.compliance.evidence import KINDS, EvidenceRecords
from assent_service.evidence.compliance.frameworks import ControlText

CAVEAT = (
    "This map says which records exist, not whether a control is met: that takes a person who knows the organization. "
    "Simulated rows are left out. Evidence outside of this service is not seen."
)


def mapped(control: ControlText, found: Mapping[str, EvidenceRecords], policies: Sequence[str]) -> Control:
    """The control with its evidence; `found` has every kind that it names, `policies` the ids of those in force."""
    evidence = [_evidence(name, found[name]) for name in control.evidence]
    return Control(
        control_id=control.id,
        title=control.title,
        category=control.category,
        description=control.asks,
        agent_relevance=control.relevance,
        status=presence([each.status for each in evidence]),
        evidence=evidence,
        matched_policies=list(policies) if "policies" in control.evidence else [],
        gap_recommendations=[KINDS[each.evidence].remedy for each in evidence if each.status is Presence.ABSENT],
    )


def presence(statuses: Sequence[Presence]) -> Presence:
    """What several kinds of evidence amount to together."""
    there = sum(status is Presence.PRESENT for status in statuses)
    if there == len(statuses):
        return Presence.PRESENT
    return Presence.PARTIAL if there else Presence.ABSENT


def counted(controls: Sequence[Control]) -> ControlCounts:
    """The controls by what their evidence amounts to; the percentage is rounded half up."""
    covered = sum(control.status is Presence.PRESENT for control in controls)
    partial = sum(control.status is Presence.PARTIAL for control in controls)
    total = len(controls)
    return ControlCounts(
        total_controls=total,
        covered=covered,
        partial=partial,
        gaps=total - covered - partial,
        coverage_percentage=(100 * (2 * covered + partial) + total) // (2 * total) if total else 0,
    )


def gaps(controls: Sequence[Control]) -> list[Control]:
    """The controls whose evidence is not all there, those without any first."""
    lacking = [control for control in controls if control.status is not Presence.PRESENT]
    return sorted(lacking, key=lambda control: control.status is not Presence.ABSENT)


def _evidence(name: str, found: EvidenceRecords) -> EvidenceFound:
    kind = KINDS[name]
    return EvidenceFound(
        evidence=name,
        shows=kind.shows,
        status=Presence.PRESENT if found.n else Presence.ABSENT,
        n=found.n,
        record_type=kind.table,
        record_ids=found.record_ids,
    )
