"""Organizations as rows."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, text, time

ORGANIZATIONS = Table(
    name="organizations",
    meaning="the organizations that share the service",
    key="org_id",
    columns=(
        ORGANIZATION,
        text("name", "what people call it"),
        text("slug", "short name, unique within the service"),
        CREATED_AT,
        time("updated_at", "when it was last renamed"),
    ),
    created=frozenset({"organization.created"}),
    replaced=frozenset({"organization.updated"}),
)
