"""What the settings page and the banner say, without a service."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import httpx
import pytest

from assent import Halt, Identity, Pairing, Webhook
from assent.contract.people.identities import Algorithm
from assent.contract.people.pairings import PairingState
from assent.contract.people.rota import DAYS, Shift, Weekday
from assent.errors import ConnectionFailed, Forbidden, InvalidRequest, ServerError
from assent_dashboard.views.halt import sentence
from assent_dashboard.views.press import attempt
from assent_dashboard.views.settings.identities import wrong_key
from assent_dashboard.views.settings.pairings import became, compared, replaces
from assent_dashboard.views.settings.shifts import hours as shift_hours
from assent_dashboard.views.settings.webhooks import in_words as told_of
from assent_dashboard.views.settings.webhooks import state

NOW = datetime(2026, 11, 20, 14, 2, 7, tzinfo=UTC)
PRINT = "sha256:" + "ab" * 32


@pytest.mark.parametrize(
    ("given", "same"),
    [
        ("", None),
        ("  \n", None),
        (PRINT, True),
        (f"  {PRINT.upper()} ", True),
        ("ab" * 32, True),
        (":".join(["AB"] * 32), True),
        ("ab" * 31, False),
        ("sha256:" + "ac" * 32, False),
    ],
)
def test_fingerprints_are_compared_by_what_they_mean(given: str, same: bool | None) -> None:
    assert compared(given, PRINT) is same


def pairing(**more: object) -> Pairing:
    given = {
        "id": "pair_1",
        "pairing_id": "pair_1",
        "agent_id": "bot",
        "agent_name": None,
        "org_id": "org_1",
        "algorithm": Algorithm.ED25519,
        "status": PairingState.PENDING,
        "expires_at": NOW + timedelta(minutes=9),
        "created_at": NOW,
        "updated_at": NOW,
        "public_key": "",
        "fingerprint": PRINT,
        "created_by": "key_1",
        "approved_by": None,
        "approved_at": None,
    }
    return Pairing(**given | more)  # type: ignore[arg-type]  # members by their names


def identity(**more: object) -> Identity:
    given = {
        "org_id": "org_1",
        "identity_id": "idn_1",
        "agent_id": "bot",
        "algorithm": Algorithm.ED25519,
        "public_key": "",
        "fingerprint": "sha256:old",
        "pairing_id": None,
        "registered_by": "key_1",
        "revoked_at": None,
        "revoked_by": None,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Identity(**given | more)  # type: ignore[arg-type]  # members by their names


def webhook(**more: object) -> Webhook:
    given = {
        "id": "wh_1",
        "org_id": "org_1",
        "webhook_id": "wh_1",
        "url": "https://example.com",
        "description": None,
        "events": ["all"],
        "active": True,
        "secret": "",
        "retrying": 0,
        "failing_since": None,
        "disabled_at": None,
        "disabled_reason": None,
        "rotated_at": None,
        "created_at": NOW,
        "created_by": "key_1",
        "updated_at": NOW,
    }
    return Webhook(**given | more)  # type: ignore[arg-type]  # members by their names


def test_only_another_key_that_counts_is_replaced() -> None:
    assert replaces(pairing(), {}) is None
    assert replaces(pairing(), {"bot": identity(fingerprint=PRINT)}) is None
    assert replaces(pairing(), {"bot": identity(revoked_at=NOW)}) is None
    assert "sha256:old" in str(replaces(pairing(), {"bot": identity()}))


def test_what_became_of_a_pairing() -> None:
    later = NOW + timedelta(minutes=12)
    approved = pairing(status=PairingState.APPROVED, approved_by="ana *x*", approved_at=NOW, updated_at=NOW)
    assert became(approved, later) == "approved by **ana \\*x\\*** 12 min ago"
    assert became(pairing(status=PairingState.EXPIRED), later) == "expired 3 min ago, before anybody approved it"


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (webhook(), ":green[:material/check_circle:] **On**"),
        (webhook(retrying=1), ":orange[:material/schedule:] **On**; 1 delivery is tried again"),
        (
            webhook(failing_since=NOW, retrying=2),
            ":red[:material/error:] **On, and nothing gets through** since 20 Nov 2026, 14:02:07 UTC; "
            "2 deliveries are tried again",
        ),
        (
            webhook(active=False, disabled_at=NOW, disabled_reason="it answered 410"),
            ":gray[:material/pause_circle:] **Off** 1 min ago: it answered 410",
        ),
    ],
)
def test_how_a_webhook_fares(made: Webhook, said: str) -> None:
    assert state(made, NOW + timedelta(minutes=1)) == said


def test_what_a_webhook_is_told() -> None:
    assert told_of(webhook()) == "Told of every event"
    assert told_of(webhook(events=["a", "b"])) == "Told of `a`, `b`"
    assert told_of(webhook(events=list("abcdef"))) == "Told of `a`, `b`, `c`, `d` and 2 more"


def test_the_banner_says_who_when_and_why() -> None:
    halt = Halt(halted=True, reason="run *away*", changed_at=NOW, changed_by="ana")
    assert sentence(halt, NOW + timedelta(minutes=3)) == (
        "**The kill switch is on: guard blocks every action.** Switched on by **ana**, 3 min ago.  \n"
        "Reason: run \\*away\\*"
    )


@pytest.mark.parametrize("text", ["", "-----BEGIN PRIVATE KEY-----\nx", "-----BEGIN RSA PRIVATE KEY-----"])
def test_a_key_that_should_not_be_sent(text: str) -> None:
    assert wrong_key(text) is not None


def test_a_public_key_is_for_the_service_to_judge() -> None:
    assert wrong_key("-----BEGIN PUBLIC KEY-----\nx") is None


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ConnectionFailed(url="u", reason="refused"), "The service does not answer. Nothing was changed."),
        (
            ConnectionFailed(url="u", reason="timeout", uncertain=True),
            "The service does not answer. It may have been carried out: close this and look.",
        ),
        (Forbidden(status=403, code="forbidden", detail="Ask an admin."), "Your key may not do this. Ask an admin."),
        (
            InvalidRequest(status=400, code="invalid_body", detail="The name is long."),
            "Nothing was changed. The name is long.",
        ),
        (
            ServerError(status=500, code="internal", detail="It broke."),
            "Whether it was carried out is not known: close this and look. It broke.",
        ),
        (RuntimeError("closed"), "Your session has ended. Sign in again; nothing was changed."),
        (httpx.InvalidURL("no"), None),
    ],
)
def test_why_something_could_not_be_carried_out(error: Exception, said: str | None) -> None:
    def do() -> None:
        raise error

    if said is None:
        with pytest.raises(httpx.InvalidURL):
            attempt(do)
    else:
        assert attempt(do) == (None, said)


def test_what_could_be_carried_out_is_answered() -> None:
    assert attempt(lambda: 7) == (7, None)


@pytest.mark.parametrize(
    ("days", "start", "end", "said"),
    [
        (DAYS, "00:00", "00:00", "every day, all day"),
        (DAYS[:2], "00:00", "00:00", "Mon, Tue, all day"),
        (DAYS[4:5], "22:00", "06:00", "Fri 22:00 to 06:00 of the day after"),
        (DAYS[:2], "08:00", "08:00", "Mon, Tue 08:00 to 08:00 of the day after"),
        (DAYS[1::-1], "09:00", "17:00", "Mon, Tue 09:00 to 17:00"),
        (DAYS, "09:00", "00:00", "every day 09:00 to 00:00 of the day after"),
    ],
)
def test_hours_of_a_shift_are_told_as_people_tell_them(
    days: tuple[Weekday, ...], start: str, end: str, said: str
) -> None:
    assert shift_hours(Shift(days=days, start=start, end=end)) == said
