"""Maps and counts as one text to hand on, Markdown or JSON. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from assent.contract.evidence.compliance import ComplianceEvidence, ComplianceMap, Control, ReportFormat
from assent.contract.evidence.compliance_exports import ComplianceTrend


def of_map(whole: ComplianceMap, chosen: ReportFormat) -> str:
    """A framework's controls with their evidence and the ids of its records."""
    if chosen is ReportFormat.JSON:
        return _json(whole)
    counts = whole.summary
    lines = [
        f"# {whole.title}: evidence of {_text(whole.project)}",
        "",
        f"{whole.framework_version}. Window {whole.window}, from {whole.since:%Y-%m-%d} to {whole.until:%Y-%m-%d}.",
        "",
        f"Of {counts.total_controls} controls, the evidence of {counts.covered} is present, of {counts.partial} "
        f"partial, of {counts.gaps} absent.",
        "",
        f"> {whole.caveat}",
    ]
    for control in whole.controls:
        lines += ["", *_control(control)]
    return "\n".join(lines) + "\n"


def of_export(
    name: str, maps: Sequence[ComplianceMap], trends: Mapping[str, Sequence[ComplianceTrend]], chosen: ReportFormat
) -> str:
    """Several maps as one text, each with what was counted of its framework before, where `trends` have that."""
    if chosen is ReportFormat.JSON:
        return _json({"name": name, "frameworks": maps, "trends": trends})
    parts = [f"# {_text(name)}\n"]
    for whole in maps:
        parts.append(of_map(whole, chosen))
        if whole.framework in trends:
            parts.append(_trend(trends[whole.framework]))
    return "\n".join(parts)


def of_policies(policies: Sequence[dict[str, Any]], evidence: ComplianceEvidence, chosen: ReportFormat) -> str:
    """The policies in force, how often each matched, and what guard decided in all."""
    if chosen is ReportFormat.JSON:
        return _json({"policies": policies, "window": evidence.window, "evidence": evidence.evidence})
    counts = evidence.evidence
    lines = [
        f"# Policies in force and what they did, {evidence.window}",
        "",
        f"From {evidence.since:%Y-%m-%d} to {evidence.until:%Y-%m-%d}: {counts.guard_decisions_total} decisions, "
        f"{counts.guard_decisions_blocked} of them blocks; {counts.approval_requests} approvals asked, "
        f"{counts.approvals_decided} decided; {counts.action_records_total} actions, "
        f"{counts.actions_verified} of them signed.",
        *([f"{counts.simulated} of these rows are simulated."] if counts.simulated else []),
        "",
        "| policy | kind | mode | matched | newest decision |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {_text(each['name'])} | {each['policy_type']} | {each['mode']} | {each['matched']} "
        f"| {each['newest_decision'] or 'none'} |"
        for each in policies
    ]
    return "\n".join(lines) + "\n"


def _trend(points: Sequence[ComplianceTrend]) -> str:
    lines = ["## Counted before", ""]
    if not points:
        return "\n".join([*lines, "Nothing: this is the first export of this framework."]) + "\n"
    lines += [
        "| counted | version | window | present | partial | absent | records | export |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {each.created_at:%Y-%m-%d %H:%M} | {each.framework_version} | {each.window_days}d | {each.covered} "
        f"| {each.partial} | {each.gaps} | {each.records} | {each.export_id} |"
        for each in points
    ]
    return "\n".join(lines) + "\n"


def _control(control: Control) -> list[str]:
    lines = [f"## {control.control_id} {control.title}: {control.status}", "", control.description]
    if control.evidence:
        lines += ["", "| evidence | status | n | newest records |", "|---|---|---|---|"]
    for found in control.evidence:
        ids = ", ".join(found.record_ids[:3]) or "none"
        lines.append(f"| {found.shows} | {found.status} | {found.n} | {ids} |")
    advice = [f"- {words}" for words in control.gap_recommendations]
    return [*lines, *([""] if advice and not control.evidence else []), *advice]


def _text(words: str) -> str:
    """A name that people chose, unable to be anything but text in Markdown: no markup, no entity, no cell's end, no new
    line, and nothing unseen that turns the text around."""
    plain = "".join(each for each in " ".join(words.split()) if each.isprintable())
    return "".join(f"\\{each}" if each in "\\`*_{}[]()#+-.!|<>~&" else each for each in plain)


def _json(content: object) -> str:
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode()
