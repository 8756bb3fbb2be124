"""The digest of exactly what was approved, so that a claim for anything else can be told from it.

An act is four members and no more: `action_type`, `declared_goal`, `systems_touched` and `parameters_digest`. Its
digest is the SHA-256 of their RFC 8785 form. A goal or parameters that nobody gave are null, systems that nobody named
are the empty list; `""` and null differ, and so do two orders of the same systems, since the order was what the
operator read.

Parameters stand in an act by their own digest: they may be large or secret, and whoever holds them can show that they
are the approved ones. 1 and 1.0 are one value there, as everywhere in JSON, and the order of members does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from assent.proof.canonical import digest

ACT = ("action_type", "declared_goal", "systems_touched", "parameters_digest")
"""The members of an act, in the order in which differences are told."""


def act(
    action_type: str, declared_goal: str | None, systems_touched: Sequence[str] | None, parameters_digest: str | None
) -> dict[str, object]:
    """The object whose canonical form is digested; its members are those of `ACT`."""
    return {
        "action_type": action_type,
        "declared_goal": declared_goal,
        "systems_touched": list(systems_touched or ()),
        "parameters_digest": parameters_digest,
    }


def act_digest(
    action_type: str, declared_goal: str | None, systems_touched: Sequence[str] | None, parameters_digest: str | None
) -> str:
    """`sha256:` and 64 lower-case hex digits. Raises CanonicalError for text that has no UTF-8 form."""
    return digest(act(action_type, declared_goal, systems_touched, parameters_digest))


def parameters_digest(parameters: object) -> str:
    """The digest of an action's parameters, any JSON value: `sha256:` and 64 lower-case hex digits.

    Raises CanonicalError for what JSON cannot carry faithfully: NaN, integers beyond 2**53 - 1, lone surrogates, other
    types than JSON's."""
    return digest(parameters)
