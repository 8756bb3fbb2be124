"""The operations of all nouns.

Those of the loop (ask, act, wait, tell what came of it) are imported with the client. All others (`further`) are
imported when somebody first reaches for what the loop has not: a method of theirs, or a list of all names, such as
help() makes. The class then gets them as a base. Type checkers see it whole from the start.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Iterable
from typing import TYPE_CHECKING

from assent.client.actions import ActionOperations
from assent.client.approvals import ApprovalOperations
from assent.client.assumptions import AssumptionOperations
from assent.client.guard import GuardOperations
from assent.client.loops import LoopOperations
from assent.client.operation import Caller
from assent.client.outcomes import OutcomeOperations
from assent.client.questions import QuestionOperations

if TYPE_CHECKING:
    from assent.client.further import FurtherOperations
else:
    FurtherOperations = Caller  # in the place of the nouns that are not here yet


class _Growing(ABCMeta):
    """The class of a class that has more than it has yet. What begins with an underscore never has to be fetched."""

    if not TYPE_CHECKING:  # else a misspelt name would pass for one that is still to come

        def __getattr__(cls, name):
            if not name.startswith("_"):
                complete()
            return type.__getattribute__(cls, name)

    def __dir__(cls) -> Iterable[str]:
        complete()
        return super().__dir__()


class Nouns(
    GuardOperations,
    ActionOperations,
    OutcomeOperations,
    AssumptionOperations,
    LoopOperations,
    ApprovalOperations,
    QuestionOperations,
    FurtherOperations,
    metaclass=_Growing,
):
    """Everything that a client can be asked."""

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if not name.startswith("_"):
                complete()
            return object.__getattribute__(self, name)

    def __dir__(self) -> Iterable[str]:
        complete()
        return super().__dir__()


_LOOP = tuple(base for base in Nouns.__bases__ if base is not Caller)


def complete() -> None:
    """Give the clients the nouns that they have not yet. It does no harm to do it twice, or in two threads at once."""
    from assent.client.further import FurtherOperations

    Nouns.__bases__ = (*_LOOP, FurtherOperations)
