"""Prompts: templates, their versions, and what was rendered from them."""

from __future__ import annotations

from assent_service.control.actions import Actions
from assent_service.core.foundation import Foundation
from assent_service.exchange.prompts.prompts import Prompts, routes
from assent_service.exchange.prompts.runs import PromptRenderings, run_routes
from assent_service.exchange.prompts.template import PROMPT_RUNS, PROMPT_TEMPLATES, PROMPT_VERSIONS

__all__ = [
    "PROMPT_RUNS",
    "PROMPT_TEMPLATES",
    "PROMPT_VERSIONS",
    "TABLES",
    "PromptRenderings",
    "Prompts",
    "open_prompts",
]

TABLES = (
    PROMPT_TEMPLATES,
    PROMPT_VERSIONS,
    PROMPT_RUNS,
)


def open_prompts(on: Foundation, actions: Actions) -> None:
    prompts = Prompts(on.ledger, on.clock, on.locks)
    on.bring(routes=(*routes(prompts), *run_routes(PromptRenderings(on.ledger, on.clock, prompts, actions))))
