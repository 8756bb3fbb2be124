"""What the service keeps of one kind: the struct of its row, and what is told nowhere else.

    LOOP = Noun(OpenLoop, "loop", created=EventName.LOOP_CREATED, updated=EventName.LOOP_UPDATED,
                missing=Code.LOOP_NOT_FOUND)

The members of the row say the rest: `agent_id` whose it is, `action_id` which action's, `deleted_at` that it can be
taken out of every list. `assent_service.core.shelf` keeps such rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from assent.contract.events import EventName
from assent.contract.problems import Code
from assent.contract.record import Record

Row = TypeVar("Row", bound=Record)


@dataclass(frozen=True)
class Noun(Generic[Row]):
    """`name` is what a sentence calls it, `id` the member that is its id: `{name}_id`, unless it says otherwise.

    `created` is the event that records a row and `updated` the one that records it anew after a change, None where
    nothing changes it. `missing` is the code for an id that is not there, None where nobody asks by id.
    Raises TypeError for a row without its id, `org_id`, `agent_id` or `created_at`.
    """

    row: type[Row]
    name: str
    created: EventName
    updated: EventName | None = None
    missing: Code | None = None
    id: str = ""

    def __post_init__(self) -> None:
        if not self.id:
            object.__setattr__(self, "id", f"{self.name.replace(' ', '_')}_id")
        absent = {self.id, "org_id", "agent_id", "created_at"} - set(self.row.__struct_fields__)
        if absent:
            raise TypeError(f"the noun {self.name!r} is kept as {self.row.__name__}, which has no {sorted(absent)}")

    def has(self, member: str) -> bool:
        return member in self.row.__struct_fields__
