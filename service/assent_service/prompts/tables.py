"""Prompts, their versions and their runs as rows."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, integer, json, text, time

PROMPT_TEMPLATES = Table(
    name="prompt_templates",
    meaning="prompts by name, each with the version that is active",
    key="template_id",
    columns=(
        ORGANIZATION,
        text("template_id", "id of the prompt", frozen=True),
        text("name", "what people call it"),
        text("description", "what it is for"),
        text("category", "what it belongs to"),
        integer("version_count", "how many versions were made"),
        integer("active_version", "number of the version that is rendered; empty before one is activated"),
        text("active_version_id", "id of that version"),
        time("activated_at", "when that version was activated"),
        text("activated_by", "id of the key that activated it"),
        CREATED_AT,
        text("created_by", "id of the key that made it", frozen=True),
        time("updated_at", "when it last changed, or got a version"),
        text("updated_by", "id of the key that did so"),
        time("deleted_at", "when it was removed"),
    ),
    created=frozenset({"prompt_template.created"}),
    replaced=frozenset({"prompt_template.updated"}),
)
PROMPT_VERSIONS = Table(
    name="prompt_versions",
    meaning="the texts of prompts; a version never changes",
    key="version_id",
    columns=(
        ORGANIZATION,
        text("version_id", "id of the version", frozen=True),
        text("template_id", "the prompt that it is a version of", frozen=True),
        integer("version", "its number within the prompt, from 1"),
        text("content", "the text, with placeholders"),
        text("model_hint", "which model it was written for"),
        json("parameters", "what the placeholders are for, as its author says"),
        json("placeholders", "names found in the text, in order"),
        text("changelog", "what is new in it"),
        CREATED_AT,
        text("created_by", "id of the key that made it", frozen=True),
    ),
    created=frozenset({"prompt_version.created"}),
)
PROMPT_RUNS = Table(
    name="prompt_runs",
    meaning="prompts that were rendered and recorded, without the values that were filled in and without the text",
    key="run_id",
    columns=(
        ORGANIZATION,
        text("run_id", "id of the run", frozen=True),
        text("template_id", "the prompt", frozen=True),
        text("template_name", "the prompt's name when it was rendered", frozen=True),
        text("version_id", "the version that was rendered", frozen=True),
        integer("version", "number of that version within the prompt"),
        json("variables", "names of the variables that were given"),
        json("missing", "placeholders that had no value"),
        integer("rendered_length", "how long the rendered text was", "characters"),
        text("action_id", "the action that it was rendered for, if any", frozen=True),
        text("agent_id", "the agent that it was rendered for", frozen=True),
        CREATED_AT,
        text("created_by", "id of the key that asked for it", frozen=True),
    ),
    created=frozenset({"prompt_run.created"}),
)
