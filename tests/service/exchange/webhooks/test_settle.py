"""What attempts make of deliveries and their webhook: the rules, and what holds for any run of attempts."""

from __future__ import annotations

from datetime import timedelta

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.exchange.webhooks import DeliveryStatus
from assent_service.base.clock import HOUR, moment
from assent_service.exchange.webhooks.rows import DeliveryRow, WebhookRow
from assent_service.exchange.webhooks.sender import Attempt
from assent_service.exchange.webhooks.settle import AttemptedJob, Job, settle
from assent_service.store.event import Draft
from tests.service.control.actions.world import DAY, START

WEBHOOK = WebhookRow(
    org_id="org_1",
    webhook_id="wh_1",
    url="https://example.com/",
    description=None,
    events=["all"],
    active=True,
    hint="abcd",
    fingerprint="",
    version=1,
    rotated_at=None,
    after_n=4,
    failing_since=None,
    disabled_at=None,
    disabled_reason=None,
    created_at=moment(START),
    created_by="key_1",
    updated_at=moment(START),
    deleted_at=None,
)
OK, FAILED = Attempt(status=200), Attempt(status=500, error="it answered with status 500")
GONE, ERASED = Attempt(status=410, error="gone"), Attempt(error="erased", hopeless=True)


def job(n: int, before: DeliveryRow | None = None) -> Job:
    return Job(f"wd_{n}", "action.created", n, b"{}", before)


def chance() -> float:
    return 0.5


def rows(drafts: list[Draft]) -> dict[str, DeliveryRow]:
    made = [each for each in drafts if each.type.startswith("webhook_delivery")]
    return {each.subject: msgspec.json.decode(each.data, type=DeliveryRow) for each in made}


def test_the_first_failure_begins_a_time_of_failures_and_the_first_success_ends_it() -> None:
    failed = settle(WEBHOOK, {}, [AttemptedJob(job(5), FAILED)], START, chance)
    assert failed.webhook.failing_since == moment(START)
    assert [each.type for each in failed.drafts] == ["webhook_delivery.created", "webhook.updated"]
    (delivery,) = rows(failed.drafts).values()
    assert (delivery.status, delivery.attempts) == ("retrying", 1)
    assert delivery.next_attempt_at == moment(START) + timedelta(seconds=5)

    later = START + HOUR
    still = settle(failed.webhook, {delivery.delivery_id: delivery}, [AttemptedJob(job(6), FAILED)], later, chance)
    assert still.webhook is failed.webhook
    assert [each.type for each in still.drafts] == ["webhook_delivery.created"]

    through = settle(
        failed.webhook, {delivery.delivery_id: delivery}, [AttemptedJob(job(5, delivery), OK)], later, chance
    )
    assert (through.webhook.failing_since, through.recovered) == (None, True)
    (after,) = rows(through.drafts).values()
    assert (after.status, after.attempts, after.next_attempt_at, after.error) == ("delivered", 2, None, None)
    assert (after.created_at, after.updated_at) == (moment(START), moment(later))
    assert through.drafts[0].type == "webhook_delivery.updated"


def test_one_that_gets_through_beside_a_failure_is_enough() -> None:
    settled = settle(WEBHOOK, {}, [AttemptedJob(job(5), FAILED), AttemptedJob(job(6), OK)], START, chance)
    assert settled.webhook is WEBHOOK
    assert [each.status for each in rows(settled.drafts).values()] == ["retrying", "delivered"]


def test_an_erased_event_is_given_up_and_not_held_against_the_receiver() -> None:
    settled = settle(WEBHOOK, {}, [AttemptedJob(job(5), ERASED)], START, chance)
    assert settled.webhook is WEBHOOK
    assert [each.status for each in rows(settled.drafts).values()] == ["failed"]


def test_gone_ends_everything_at_once() -> None:
    waiting = rows(settle(WEBHOOK, {}, [AttemptedJob(job(5), FAILED), AttemptedJob(job(6), OK)], START, chance).drafts)
    retrying = {"wd_5": waiting["wd_5"]}
    settled = settle(WEBHOOK, retrying, [AttemptedJob(job(7), GONE)], START, chance)
    assert not settled.webhook.active
    assert {id_: each.status for id_, each in rows(settled.drafts).items()} == {"wd_5": "failed", "wd_7": "failed"}


def _exhausted(since: int, now: int) -> WebhookRow:
    webhook = msgspec.structs.replace(WEBHOOK, failing_since=moment(since))
    first = rows(settle(WEBHOOK, {}, [AttemptedJob(job(5), FAILED)], since, chance).drafts)["wd_5"]
    last = msgspec.structs.replace(first, attempts=9)
    return settle(webhook, {"wd_5": last}, [AttemptedJob(job(5, last), FAILED)], now, chance).webhook


def test_five_days_of_nothing_but_failures() -> None:
    assert _exhausted(START, START + 5 * DAY - 1).active
    assert not _exhausted(START, START + 5 * DAY).active


def test_while_a_webhook_is_disabled_nothing_is_tried_again() -> None:
    disabled = msgspec.structs.replace(WEBHOOK, active=False)
    settled = settle(disabled, {}, [AttemptedJob(job(5), FAILED), AttemptedJob(job(6), OK)], START, chance)
    assert [each.status for each in rows(settled.drafts).values()] == ["failed", "delivered"]
    assert settled.webhook is disabled


def test_what_was_given_up_meanwhile_stays_so() -> None:
    before = rows(settle(WEBHOOK, {}, [AttemptedJob(job(5), FAILED)], START, chance).drafts)["wd_5"]
    settled = settle(WEBHOOK, {}, [AttemptedJob(job(5, before), OK)], START, chance)
    assert (settled.drafts, settled.webhook) == ([], WEBHOOK)


@given(st.lists(st.tuples(st.sampled_from([OK, FAILED, GONE, ERASED]), st.booleans()), min_size=1, max_size=4))
def test_every_attempt_is_recorded_once_and_nothing_waits_for_a_webhook_that_is_off(
    attempts: list[tuple[Attempt, bool]],
) -> None:
    first = settle(WEBHOOK, {}, [AttemptedJob(job(n), FAILED) for n in range(10)], START, chance)
    waiting = rows(first.drafts)
    tried = [
        AttemptedJob(job(n, waiting[f"wd_{n}"]) if again else job(100 + n), attempt)
        for n, (attempt, again) in enumerate(attempts)
    ]
    settled = settle(first.webhook, waiting, tried, START + HOUR, chance)
    after = rows(settled.drafts)
    subjects = [each.subject for each in settled.drafts]
    assert len(set(subjects)) == len(subjects)
    assert {each.job.delivery_id for each in tried} <= after.keys()
    for each in tried:
        assert (after[each.job.delivery_id].status is DeliveryStatus.DELIVERED) == each.attempt.delivered
    left = (waiting | after).values()
    if not settled.webhook.active:
        assert not [each for each in left if each.status is DeliveryStatus.RETRYING]
    for one in left:
        assert (one.next_attempt_at is not None) == (one.status is DeliveryStatus.RETRYING)
