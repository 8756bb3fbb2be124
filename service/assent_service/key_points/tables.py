"""Key points as rows."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, integer, text

KEY_POINTS = Table(
    name="key_points",
    meaning="single things that agents wanted to have at hand later",
    key="point_id",
    columns=(
        ORGANIZATION,
        text("point_id", "id of the key point", frozen=True),
        text("agent_id", "whose it is", frozen=True),
        text("content", "what it says"),
        text("category", "a word of the agent's own, general without one"),
        integer("importance", "from 1 to 10, as the agent sees it"),
        text("session_date", "the day of the session"),
        text("created_by", "id of the key that captured it", frozen=True),
        CREATED_AT,
    ),
    created=frozenset({"key_point.created"}),
)
