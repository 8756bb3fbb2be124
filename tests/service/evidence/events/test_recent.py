"""Decisions of the last minutes: the newest of each action, bounded in time and number."""

from msgspec.structs import replace

from assent_service.base.clock import MINUTE
from assent_service.evidence.events.recent import KEPT_MOST, RecentUpdates
from assent_service.store.event import Event
from tests.service.evidence.events.test_frames import event

NOON = 1_700_000_000_000_000


def update(subject: str, at: int, data: bytes = b'{"approved_by":"key_o"}', org: str = "org_a") -> Event:
    return replace(event(data), subject=subject, ts=at, org=org)


def subjects(recent: RecentUpdates, now: int, org: str = "org_a") -> list[str]:
    return [each.subject for each in recent.since(org, now)]


def test_only_approved_and_cancelled_updates_are_kept() -> None:
    recent = RecentUpdates()
    recent.add(update("approved", NOON))
    recent.add(update("denied", NOON, b'{"approved_by":null,"status":"cancelled"}'))
    recent.add(update("running", NOON, b'{"approved_by":null,"status":"running"}'))
    recent.add(replace(update("created", NOON), type="action.created"))
    assert subjects(recent, NOON) == ["approved", "denied"]


def test_they_are_forgotten_after_ten_minutes() -> None:
    recent = RecentUpdates()
    recent.add(update("old", NOON))
    recent.add(update("new", NOON + 1))
    assert subjects(recent, NOON + 10 * MINUTE - 1) == ["old", "new"]
    assert subjects(recent, NOON + 10 * MINUTE) == ["new"]
    assert subjects(recent, NOON) == ["new"]


def test_the_newest_update_of_an_action_stands_for_it() -> None:
    recent = RecentUpdates()
    for at, who in enumerate(["a", "b", "a"]):
        recent.add(update(who, NOON + at))
    kept = recent.since("org_a", NOON + 2)
    assert [(each.subject, each.ts - NOON) for each in kept] == [("b", 1), ("a", 2)]


def test_organizations_are_apart_and_each_is_bounded() -> None:
    recent = RecentUpdates()
    recent.add(update("theirs", NOON, org="org_b"))
    for i in range(KEPT_MOST + 3):
        recent.add(update(f"a{i}", NOON))
    assert subjects(recent, NOON, "org_b") == ["theirs"]
    assert subjects(recent, NOON) == [f"a{i}" for i in range(3, KEPT_MOST + 3)]
