"""Prompts: templates, their versions, and what was rendered from them."""

from assent_service.prompts.prompts import Prompts
from assent_service.prompts.routes import routes
from assent_service.prompts.runs import Runs
from assent_service.prompts.tables import PROMPT_RUNS, PROMPT_TEMPLATES, PROMPT_VERSIONS

__all__ = ["PROMPT_RUNS", "PROMPT_TEMPLATES", "PROMPT_VERSIONS", "Prompts", "Runs", "routes"]
