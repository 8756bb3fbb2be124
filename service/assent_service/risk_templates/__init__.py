"""Risk templates: how an organization rates the risk of its own kinds of actions."""

from assent_service.risk_templates.risk_templates import RiskTemplateBook
from assent_service.risk_templates.routes import routes
from assent_service.risk_templates.tables import RISK_TEMPLATES

__all__ = ["RISK_TEMPLATES", "RiskTemplateBook", "routes"]
