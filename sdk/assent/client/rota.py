"""The rota: which operators are on shift when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.people.rota import GET_ROTA, SET_ROTA, OperatorGroup


class RotaOperations(Caller):
    @sends(SET_ROTA)
    def set_rota(self, groups: Sequence[OperatorGroup | Mapping[str, Any]]) -> Response:
        """Say which operators are on shift when: all groups at once, each with the names of its members' keys, a time
        zone and weekly shifts. The answer is who is on shift now. Raises InvalidRequest for a time zone that is not
        known, for two groups of one name and for more than 16,000 bytes, Forbidden for any but an admin's key."""

    @sends(GET_ROTA)
    def get_rota(self) -> Response:
        """Who is on shift now, group by group, and the rota that it follows from. `covered` is false in a gap. Raises
        Forbidden for an agent's key."""
