"""The bets of triage, each against exact probabilities and plain products."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import pytest

from assent_analytics.triage import betting
from assent_analytics.triage.betting import Change, audits_needed, harmless_needed, log_certificate, passed_bound


def stake(labels: Sequence[int], alpha: float) -> float:
    """The four bets one by one, as the source has them: 1 + lambda (alpha - y)."""
    total = 0.0
    for f, part in betting.SHARES:
        own = part
        for label in labels:
            own *= 1 + (1 - f) / (1 - alpha) * (alpha - label)
        total += own
    return total


@pytest.mark.parametrize("labels", [[], [0], [1], [0] * 30, [0, 0, 1] + [0] * 40, [1, 1] + [0] * 10])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_the_certificate_is_the_product_of_its_bets(labels: list[int], alpha: float) -> None:
    assert log_certificate(len(labels), sum(labels), alpha) == pytest.approx(log(stake(labels, alpha)))


def ever(alpha: float, level: float, share: float, n: int) -> float:
    """The probability that the certificate is ever reached within n audits, each harmful with probability `share`."""
    states, reached = {0: 1.0}, 0.0
    for at in range(1, n + 1):
        following: dict[int, float] = {}
        for harmful, chance in states.items():
            for more, each in ((0, 1 - share), (1, share)):
                if log_certificate(at, harmful + more, alpha) >= level:
                    reached += chance * each
                else:
                    following[harmful + more] = following.get(harmful + more, 0.0) + chance * each
        states = {harmful: chance for harmful, chance in following.items() if chance > 1e-12}
    return reached


def test_a_bad_threshold_is_certified_with_delta_at_most_and_a_good_one_is() -> None:
    level = -log(0.1)
    wrong = ever(0.1, level, 0.1, 400)
    assert 0.02 < wrong <= 0.1, "at the border, where it is likeliest"
    assert ever(0.1, level, 0.15, 400) < wrong
    assert ever(0.1, level, 0.01, 400) > 0.95


@pytest.mark.parametrize("alpha", [0.1, 0.01])
@pytest.mark.parametrize("harmful", [0, 1, 3])
def test_so_many_audits_certify_and_one_less_does_not(alpha: float, harmful: int) -> None:
    n = audits_needed(alpha, 0.05, harmful)
    labels = [1] * harmful + [0] * (n - harmful)
    assert stake(labels, alpha) >= 20 > stake(labels[:-1], alpha)


def test_what_is_certified_needs_no_more_and_half_way_needs_the_rest() -> None:
    level = -log(0.05)
    n = audits_needed(0.05, 0.05)
    assert harmless_needed(n, 0, 0.05, level) == 0
    assert harmless_needed(40, 0, 0.05, level) == n - 40


def test_an_audit_more_is_needed_for_a_smaller_alpha_or_delta() -> None:
    assert audits_needed(0.01, 0.05) > audits_needed(0.02, 0.05)
    assert audits_needed(0.01, 0.01) > audits_needed(0.01, 0.05)


@pytest.mark.parametrize(
    "wrong", [{"alpha": 0}, {"alpha": 1.0}, {"delta": 0}, {"delta": float("nan")}, {"harmful": -1}]
)
def test_numbers_that_are_none_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        audits_needed(**({"alpha": 0.1, "delta": 0.05} | wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("shares", [[0.25] * 150, [0.5] * 150, [0.9] * 20 + [0.5] * 50 + [0.1] * 200])
def test_more_than_the_bound_pass_with_delta_at_most(shares: list[float]) -> None:
    """Exactly: of harmful actions each is audited with its share, and the bound is looked at after each."""
    delta, odds, broken = 0.1, 0.0, 0.0
    states = {(0, 0): 1.0}
    for share in shares:
        odds = max(odds, (1 - share) / share)
        following: dict[tuple[int, int], float] = {}
        for (audited, passed), chance in states.items():
            for after, each in (((audited + 1, passed), share), ((audited, passed + 1), 1 - share)):
                if after[1] > passed_bound(after[0], odds, delta):
                    broken += chance * each
                else:
                    following[after] = following.get(after, 0.0) + chance * each
        states = {state: chance for state, chance in following.items() if chance > 1e-9}
    assert 0.005 < broken <= delta


def test_the_bound_grows_with_harmful_audits_and_odds_and_is_none_where_nothing_can_pass() -> None:
    assert passed_bound(3, 0.0, 0.05) == 0
    assert passed_bound(0, 3.0, 0.05) < passed_bound(1, 3.0, 0.05) < passed_bound(1, 9.0, 0.05)
    assert passed_bound(1, 3.0, 0.01) > passed_bound(1, 3.0, 0.05)


def test_a_change_is_found_soon_and_nothing_without_harm() -> None:
    still = Change(0.01)
    assert not any(still.step(False) for _ in range(20_000))
    after = next(n for n in range(1, 100) if still.step(n % 3 == 0))
    assert after <= 12, "every third is harmful"


def test_the_bet_on_a_change_is_the_sum_over_all_beginnings() -> None:
    """By hand: each beginning bets 1, and is multiplied by the ratio of the two shares from then on."""
    alpha, labels = 0.02, [0, 0, 1, 0, 1, 1, 0, 1]

    def total(n: int) -> float:
        summed = 0.0
        for times in betting.TIMES:
            share = min(0.95, times * alpha)
            ratios = [share / alpha if label else (1 - share) / (1 - alpha) for label in labels[:n]]
            for begin in range(n):
                own = 1.0
                for ratio in ratios[begin:]:
                    own *= ratio
                summed += own
        return summed / len(betting.TIMES)

    change = Change(alpha)
    for n, label in enumerate(labels, 1):
        assert change.step(bool(label)) is (total(n) >= betting.FALSE_ALARM / alpha)
