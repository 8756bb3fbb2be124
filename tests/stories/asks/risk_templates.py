"""Who may rate risks: admins write risk templates, everybody reads them."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant

PATH = "/api/scoring/risk-templates"


def template(owner: Tenant) -> str:
    return str(owner.call("POST", PATH, {"name": "a template", "action_type": "nothing-else-does-this"})["id"])


ASKS = {
    "create_risk_template": Asking("   m", lambda _: Ask(PATH, {"name": "a template", "action_type": "nobody-asks"})),
    "list_risk_templates": Asking("aoum", lambda _: Ask(PATH)),
    "get_risk_template": Asking("aoum", lambda owner: Ask(f"{PATH}/{template(owner)}")),
    "update_risk_template": Asking("   m", lambda owner: Ask(f"{PATH}/{template(owner)}", {"base_risk": 5})),
    "delete_risk_template": Asking("   m", lambda owner: Ask(f"{PATH}/{template(owner)}")),
}
