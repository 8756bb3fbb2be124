"""The pages of the dashboard: which there are, in which order, and how the navigation calls them."""

from __future__ import annotations

from dataclasses import dataclass

TODAY, TRENDS, RULES, TRUST = "Today", "Over time", "Who and what", "Trust"
SECTIONS = (TODAY, TRENDS, RULES, TRUST)


@dataclass(frozen=True)
class PageEntry:
    """A page: its place in the navigation, and its path."""

    section: str
    path: str
    title: str
    icon: str


_LISTED = (
    PageEntry(TODAY, "readiness", "Readiness", ":material/task_alt:"),
    PageEntry(TODAY, "approvals", "Approvals", ":material/front_hand:"),
    PageEntry(TODAY, "ledger", "Ledger", ":material/receipt_long:"),
    PageEntry(TODAY, "flows", "Sessions", ":material/route:"),
    PageEntry(TRENDS, "asking", "Asking", ":material/contact_support:"),
    PageEntry(TRENDS, "pcaa", "PCAA health", ":material/checklist:"),
    PageEntry(TRENDS, "learning", "Learning", ":material/school:"),
    PageEntry(TRENDS, "drift", "Drift", ":material/trending_up:"),
    PageEntry(TRENDS, "drivers", "What moved", ":material/waterfall_chart:"),
    PageEntry(TRENDS, "scores", "Scores", ":material/speed:"),
    PageEntry(RULES, "policies", "Policies", ":material/gavel:"),
    PageEntry(RULES, "agents", "Agents", ":material/smart_toy:"),
    PageEntry(RULES, "messages", "Messages", ":material/mail:"),
    PageEntry(TRUST, "injection", "Injections", ":material/policy_alert:"),
    PageEntry(TRUST, "proof", "Proof", ":material/verified_user:"),
    PageEntry(TRUST, "settings", "Settings", ":material/settings:"),
)
ENTRIES = {entry.path: entry for entry in _LISTED}
"""By path; the first one is what opens."""
