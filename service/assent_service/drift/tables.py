"""Drift alerts as rows; one that was removed stays, because it was told."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, boolean, integer, number, text, time

DRIFT_ALERTS = Table(
    name="drift_alerts",
    meaning="drift alerts: a stream of values that changed, found as the values came",
    key="id",
    columns=(
        ORGANIZATION,
        text("id", "id of the alert", frozen=True),
        text("agent_id", "whose values changed", frozen=True),
        text("action_type", "of what kind of action", frozen=True),
        text("metric", "which of their numbers, as score or duration_ms", frozen=True),
        text("severity", "info, warning or critical, by the size of the change"),
        text("direction", "up, down, or changed: the values spread otherwise"),
        text("description", "the alert in one sentence"),
        number("baseline_mean", "mean of the values before the change, in the metric's unit"),
        number("baseline_sd", "their sample standard deviation"),
        integer("baseline_n", "how many they were"),
        number("recent_mean", "mean of the values from the change to the alert"),
        integer("recent_n", "how many they were"),
        number("z_score", "how far the mean moved, in standard deviations of the values before; +-999 without any"),
        integer("n", "values that the detector had seen since it began"),
        number("e_value", "the evidence that the stream changed; 1 is none"),
        number("threshold", "the evidence from which on there is an alert, 1 / probability of a false one"),
        time("change_estimated_at", "when the change is thought to have begun"),
        time("detected_at", "when the value happened that raised the alert"),
        boolean("acknowledged", "whether somebody has taken note of it"),
        text("acknowledged_by", "id of the key that did"),
        time("acknowledged_at", "when that was"),
        time("deleted_at", "when it was removed from the list"),
        text("source", "live, import, or simulated: a simulator made the values up", frozen=True),
        integer(
            "raised_n",
            "number of the organization's event that raised it",
        ),
        CREATED_AT,
        time("updated_at", "when it last changed"),
    ),
    created=frozenset({"drift.alert"}),
    replaced=frozenset({"drift.alert.updated"}),
)
