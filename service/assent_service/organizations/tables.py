"""Organizations as rows."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, text

ORGANIZATIONS = Table(
    name="organizations",
    meaning="the organizations that share the service",
    key="org_id",
    columns=(
        ORGANIZATION,
        text("name", "what people call it"),
        text("slug", "short name, unique within the service"),
        CREATED_AT,
    ),
    created=frozenset({"organization.created"}),
)
