"""Every turn of the kill switch as a row; the newest of an organization says how it stands."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, boolean, text, time

HALTS = Table(
    name="halts",
    meaning="turns of the kill switch; the newest row of an organization is its present state",
    key="halt_id",
    columns=(
        ORGANIZATION,
        text("halt_id", "id of this turn", frozen=True),
        boolean("halted", "whether everything is blocked from here on"),
        text("reason", "why, none when it was switched off"),
        time("changed_at", "when it was turned"),
        text("changed_by", "name of the key that turned it"),
        CREATED_AT,
    ),
    created=frozenset({"halt.changed"}),
)
