"""Risk templates as rows; a deleted one stays, because decisions name it."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, integer, json, text, time

RISK_TEMPLATES = Table(
    name="risk_templates",
    meaning="risk templates as they are now, deleted ones included; earlier versions are in the log",
    key="id",
    columns=(
        ORGANIZATION,
        text("id", "id of the template", frozen=True),
        text("name", "what people call it"),
        text("description", "what it is for"),
        text("action_type", "the actions that it rates; empty means every type without a template of its own"),
        integer("base_risk", "its risk before rules add to it", "0-100"),
        json("rules", "conditions and the points that they add"),
        text("status", "active or inactive"),
        integer("version", "how often it was made or changed"),
        CREATED_AT,
        text("created_by", "id of the key that made it"),
        time("updated_at", "when it was last changed"),
        text("updated_by", "id of the key that changed it last"),
        time("deleted_at", "when it was removed"),
    ),
    created=frozenset({"risk_template.created"}),
    replaced=frozenset({"risk_template.updated"}),
)
