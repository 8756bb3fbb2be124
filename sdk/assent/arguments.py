"""The arguments of a request as they were sent: what whoever allows it goes by, for a page and a terminal. Pure.

    for name, value in arguments_of(context, plain="parameters"):
        name, marked_value(value)                # amount, 40; beneficiary (beside the parameters), ACME

`context` is what guard looked at. Arguments are the members of its parameters and of its metadata, and whatever else
the agent sent that the contract does not know and nothing else on the screen shows, beside these or in `externality`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from assent.contract.control.externality import Externality
from assent.contract.names import marked

Place: TypeAlias = Literal["context", "parameters"]
SHOWN_ELSEWHERE = frozenset(
    {
        "action_type",
        "declared_goal",
        "agent_id",
        "systems_touched",
        "reversible",
        "risk_score",
        "runtime",
        "session_id",
        "externality",
        "source",
        "occurred_at",
        "parameters",
        "metadata",
        "parameters_digest",
    }
)
"""Members of a context that are no arguments."""
_ALL: tuple[Place | Literal["metadata", "externality"], ...] = ("context", "parameters", "metadata", "externality")
_WORDS = {
    "context": "beside the parameters",
    "parameters": "parameters",
    "metadata": "metadata",
    "externality": "externality",
}
_LEFT_OUT: dict[str, frozenset[str]] = {
    "context": SHOWN_ELSEWHERE,
    "externality": frozenset(Externality.__struct_encode_fields__),
}


def arguments_of(context: Mapping[str, Any], *, plain: Place) -> list[tuple[str, object]]:
    """Name and value of each, those at the place `plain` first, whose names are as they are; others say where they
    stand. No two names are alike."""
    found = dict[str, object]()
    for place, sent, value in members_of(context, plain=plain):
        # Of names that look alike, since what differs has one sign, each has its number.
        name = _named(sent) if place == plain else f"{_named(sent)} ({_WORDS[place]})"
        number = 1
        while (own := name if number == 1 else f"{name} (number {number} that looks so)") in found:
            number += 1
        found[own] = value
    return list(found.items())


def members_of(context: Mapping[str, Any], *, plain: Place) -> Iterator[tuple[str, str, object]]:
    """The same as they were sent, each with its place."""
    for place in sorted(_ALL, key=lambda each: each != plain):
        members = context if place == "context" else context.get(place)
        if isinstance(members, Mapping):
            left_out = _LEFT_OUT.get(place, frozenset())
            yield from ((place, str(name), value) for name, value in members.items() if name not in left_out)


def reach_of(said: Externality | None, span: Callable[[float], str]) -> list[tuple[str, str]]:
    """Label and value of what the agent says of where it goes; `span` has seconds in words."""
    if said is None:
        return []
    bound = said.reversal_bound_seconds
    back = None if bound is None else f"within {span(bound)}" if bound else "not at all"
    found = (
        ("Destination", said.destination_visibility),
        ("Account", said.account_provenance),
        ("Data", said.data_classification),
        ("Can be taken back", back),
    )
    return [(label, value.replace("_", " ")) for label, value in found if value]


def _named(name: str) -> str:
    """In quotation marks where it would say itself where it stands."""
    shown = marked(name)
    return f"“{shown}”" if name.rstrip().endswith(")") else shown
