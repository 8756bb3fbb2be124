"""What an action is done with, by its digest.

Guard and creations take the parameters themselves, for policies to look at, or their digest, for agents that keep them
to themselves; both, if they agree. What is kept with an action, and approved, is the digest alone.
"""

from __future__ import annotations

from typing import Any, Protocol

from assent.contract.problems import Code, FieldError
from assent_service.core.faithful import digest_of
from assent_service.core.problem import refuse


class HasParameters(Protocol):
    """A body that may name what the action is done with."""

    @property
    def parameters(self) -> dict[str, Any] | None: ...
    @property
    def parameters_digest(self) -> str | None: ...


def digest_of_parameters(body: HasParameters) -> str | None:
    """The digest of the parameters, None where the body says nothing of them.

    Raises `invalid_body` for parameters without a canonical form, and for a digest that is not theirs."""
    if body.parameters is None:
        return body.parameters_digest
    # The function behind `assent.proof.act.parameters_digest`, with the door's words for what has no digest.
    found = digest_of(body.parameters, "parameters")
    if body.parameters_digest not in (None, found):
        raise refuse(
            Code.INVALID_BODY,
            f"parameters_digest is {body.parameters_digest}, but the digest of parameters is {found}; give one of the "
            "two, or the right digest (assent.proof.act.parameters_digest).",
            FieldError(place="parameters_digest", message="is not the digest of parameters"),
        )
    return found


def check_parameters(body: HasParameters) -> None:
    """Raises `invalid_body` where parameters and digest do not agree; costs nothing unless both are given."""
    if body.parameters is not None and body.parameters_digest is not None:
        digest_of_parameters(body)
