"""Who may do what with prompts: operators write them, whoever acts renders them, everybody reads."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant

TEMPLATES = "/api/prompts/templates"


def _template(owner: Tenant) -> str:
    return f"{TEMPLATES}/{owner.call('POST', TEMPLATES, {'name': 'greeting'})['template_id']}"


def _version(owner: Tenant) -> str:
    versions = f"{_template(owner)}/versions"
    return f"{versions}/{owner.call('POST', versions, {'content': 'Hello {{ name }}'})['version_id']}"


def _rendering(owner: Tenant) -> Ask:
    version_id = _version(owner).rpartition("/")[2]
    return Ask("/api/prompts/render", {"version_id": version_id, "variables": {"name": "Ann"}})


ASKS: dict[str, Asking] = {
    "create_prompt_template": Asking(" o m", lambda _: Ask(TEMPLATES, {"name": "greeting"})),
    "list_prompt_templates": Asking("aoum", lambda _: Ask(TEMPLATES)),
    "get_prompt_template": Asking("aoum", lambda owner: Ask(_template(owner))),
    "update_prompt_template": Asking(" o m", lambda owner: Ask(_template(owner), {"name": "hello"})),
    "delete_prompt_template": Asking(" o m", lambda owner: Ask(_template(owner))),
    "create_prompt_version": Asking(" o m", lambda owner: Ask(f"{_template(owner)}/versions", {"content": "Hello"})),
    "list_prompt_versions": Asking("aoum", lambda owner: Ask(f"{_template(owner)}/versions")),
    "get_prompt_version": Asking("aoum", lambda owner: Ask(_version(owner))),
    "activate_prompt_version": Asking(" o m", lambda owner: Ask(_version(owner))),
    "render_prompt": Asking("ao m", _rendering),
    "list_prompt_runs": Asking("aoum", lambda _: Ask("/api/prompts/runs")),
    "get_prompt_stats": Asking("aoum", lambda _: Ask("/api/prompts/stats")),
}
