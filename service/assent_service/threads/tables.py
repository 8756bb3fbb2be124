"""Context threads and their entries as rows."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, text, time

THREADS = Table(
    name="threads",
    meaning="what agents keep their context on, one row for each agent and name as it is now",
    key="thread_id",
    columns=(
        ORGANIZATION,
        text("thread_id", "id of the thread", frozen=True),
        text("agent_id", "whose thread it is", frozen=True),
        text("name", "what it is about", frozen=True),
        text("summary", "what came of it"),
        text("status", "active, or closed: it takes no more entries"),
        text("created_by", "id of the key that began it", frozen=True),
        time("closed_at", "when it was closed, none while it is active"),
        CREATED_AT,
        time("updated_at", "when it was last opened, closed or summed up"),
    ),
    created=frozenset({"thread.created"}),
    replaced=frozenset({"thread.updated"}),
)
THREAD_ENTRIES = Table(
    name="thread_entries",
    meaning="what agents wrote into their context threads",
    key="entry_id",
    columns=(
        ORGANIZATION,
        text("entry_id", "id of the entry", frozen=True),
        text("thread_id", "the thread it belongs to", frozen=True),
        text("agent_id", "who wrote it", frozen=True),
        text("content", "what it says"),
        text("entry_type", "note, milestone, or another word of the agent's own"),
        text("created_by", "id of the key that wrote it", frozen=True),
        CREATED_AT,
    ),
    created=frozenset({"thread_entry.created"}),
)
