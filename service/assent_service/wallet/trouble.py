"""The wallet cannot be used: one code, and always what to do."""

from __future__ import annotations

from assent.contract.problems import Code
from assent_service.core.problem import Refusal, refuse


def unavailable(what: str) -> Refusal:
    """`what` says what is wrong and what to do; it must hold no secret."""
    return refuse(Code.WALLET_UNAVAILABLE, f"The signing key cannot be used: {what}")
