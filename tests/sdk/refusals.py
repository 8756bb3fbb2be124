"""Refusals word by word: the error, what it says, and what a model reads instead of the result of the tool `pay`."""

from __future__ import annotations

import msgspec

from assent.contract.control.actions import Action
from assent.contract.control.guard import GuardResult
from assent.errors import (
    ApprovalDeniedError,
    ApprovalExpiredError,
    ApprovalTimeoutError,
    ApprovalWithdrawnError,
    AssentError,
    GuardBlockedError,
    NotAwaitingApprovalError,
)
from tests.sdk.client import samples

TYPE, WHY = {"action_id": "act_1", "action_type": "pay"}, "Only 50 EUR"
DECISION = samples.decision("block", action_type="pay", reasons=["Nobody pays"], matched_policies=["pol_1"])
WAITING, OVER = samples.action("cancelled", **TYPE), samples.action("completed", **TYPE)


def _refused(error: AssentError, why: str, message: str, then: str = "") -> tuple[AssentError, str, str]:
    return error, message, f"pay did not run: {why}. {message}{then}"


def _action(members: dict[str, object]) -> Action:
    return msgspec.convert(members, Action)


REFUSALS = {
    "blocked": _refused(
        GuardBlockedError(msgspec.convert(DECISION, GuardResult), "act_1"),
        "it is not allowed",
        "guard blocked pay: Nobody pays (risk 40.5, policies: pol_1). The attempt is recorded as act_1. Do not run it, "
        "and do not try it again in other words: tell the user what was not allowed. An operator can change the "
        "policy.",
    ),
    "denied": _refused(
        ApprovalDeniedError(decision="deny", reasoning=WHY, action=_action(WAITING)),
        "a person denied it",
        "approval of act_1 (pay) was denied: Only 50 EUR. Do not run it, and do not try it again in other words: tell "
        "the user what was denied and why.",
    ),
    "expired": _refused(
        ApprovalExpiredError(_action(WAITING)),
        "nobody approved it in time",
        "approval of act_1 (pay) expired before anybody decided. Do not run it: ask the user whether it is still "
        "wanted before you try it again.",
    ),
    "withdrawn": _refused(
        ApprovalWithdrawnError(_action(WAITING), WHY),
        "the request was withdrawn",
        "approval of act_1 (pay) was withdrawn before anybody decided: Only 50 EUR. Do not run it: ask the user "
        "whether it is still wanted before you try it again.",
    ),
    "waits": _refused(
        ApprovalTimeoutError("act_1", 90.0),
        "nobody has approved it yet",
        "nobody decided on act_1 within 90 s. It still waits: wait for it again, or tell the user under which id it "
        "waits. An operator decides, as with `assent approve act_1`.",
    ),
    "other": _refused(
        NotAwaitingApprovalError(_action(OVER)),
        "Assent could not allow it",
        "act_1 is completed and was never approved, so there is nothing to wait for. Create a new action if the work "
        "is still to be done.",
        " Nothing was done. Tell the user; do not work around it.",
    ),
}
