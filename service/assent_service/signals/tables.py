"""Signals as rows: when each came on. Whether one is still on is worked out anew with each question."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, text, time

SIGNALS = Table(
    name="signals",
    meaning="signals that came on, one row for each time that one did; it may be off again by now",
    key="signal_id",
    columns=(
        ORGANIZATION,
        text("signal_id", "id of this detection", frozen=True),
        text("type", "what is wrong"),
        text("severity", "red or amber, when it came on"),
        text("subject", "what it is about: the id of the agent, the action, the loop or the assumption"),
        text("label", "what is wrong, in a line"),
        text("detail", "what is wrong, in a sentence"),
        text("help", "what to do about it"),
        text("agent_id", "the agent it concerns"),
        text("action_id", "the action it concerns"),
        text("loop_id", "the open loop it concerns"),
        text("assumption_id", "the assumption it concerns"),
        time("since", "when what it is about began"),
        CREATED_AT,
    ),
    created=frozenset({"signal.detected"}),
)
