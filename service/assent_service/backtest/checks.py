"""What is asked of a backtest's body beyond its form, by the rules of making a policy or a template. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from assent.contract.backtest import MOST_DECISIONS, BacktestRequest
from assent.contract.conditions import ConditionError
from assent.contract.policies import PolicyDraft
from assent.contract.problems import Code, FieldError
from assent.contract.risk_conditions import parse_template_rules
from assent.contract.risk_templates import CreateRiskTemplate
from assent.contract.rules import PolicyError, parse_rules
from assent.contract.window import start_of
from assent_service.core.problem import Refusal, refuse
from assent_service.guard import check_rules, compile_rules


def check(request: BacktestRequest) -> None:
    """Raises `invalid_policy` and `invalid_risk_template`, with a place such as `policies[3].rules.when.all[0].op`."""
    check_policies(request.policies or [])
    check_templates(request.templates or [])


def check_policies(drafts: Sequence[PolicyDraft]) -> None:
    for at, draft in enumerate(drafts):
        try:
            check_rules(parse_rules(draft.policy_type, draft.rules))
        except (PolicyError, ConditionError) as error:
            place = f"policies[{at}].{error.place}"
            raise refuse(
                Code.INVALID_POLICY,
                f"A policy cannot be used: {place}: {error.message}.",
                FieldError(place=place, message=error.message),
            ) from error


def check_templates(drafts: Sequence[CreateRiskTemplate]) -> None:
    for at, draft in enumerate(drafts):
        place = f"templates[{at}].rules"
        try:
            compile_rules(parse_template_rules(draft.rules or [], place), place)
        except ConditionError as error:
            raise refuse(
                Code.INVALID_RISK_TEMPLATE,
                f"A template cannot be used: {error.place}: {error.message}.",
                FieldError(place=error.place, message=error.message),
            ) from error


def beginning(window: str, until: datetime) -> datetime:
    """The window's first moment. Raises `invalid_body` for anything but whole days, as 1d to 3650d."""
    try:
        return start_of(window, until)
    except ValueError as error:
        raise refuse(Code.INVALID_BODY, f"{error}.", FieldError(place="window", message="not a window")) from None


def too_many(n: int) -> Refusal:
    return refuse(
        Code.INVALID_BODY,
        f"The window holds {n} decisions, and one answer replays at most {MOST_DECISIONS}. Ask for fewer days, one "
        "agent or one source; or take the frames of decisions and actions and call assent_analytics.backtest.backtest, "
        "which has no such bound.",
        FieldError(place="window", message=f"holds more than {MOST_DECISIONS} decisions"),
    )
