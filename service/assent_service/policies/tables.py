"""Policies as rows; a deleted one stays, because decisions name it."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, boolean, integer, json, text, time

POLICIES = Table(
    name="policies",
    meaning="policies as they are now, deleted ones included",
    key="policy_id",
    columns=(
        ORGANIZATION,
        text("policy_id", "id of the policy", frozen=True),
        text("name", "what people call it"),
        text("policy_type", "which kind it is"),
        json("rules", "its rules, defaults filled in"),
        boolean("active", "whether guard looks at it"),
        json("agent_ids", "the agents it is limited to; empty means all"),
        text("mode", "enforce or observe"),
        integer("version", "version of the organization's policies that this state came with"),
        CREATED_AT,
        text("created_by", "id of the key that made it, or system"),
        time("updated_at", "when it was last changed"),
        text("updated_by", "id of the key that changed it last"),
        time("deleted_at", "when it was removed"),
    ),
    created=frozenset({"policy.created"}),
    replaced=frozenset({"policy.updated"}),
)
