"""How far guard reaches into an action."""

from __future__ import annotations

from assent.contract.guard import Source
from assent.contract.pcaa import ENFORCEABILITY, Enforceability


def enforceability_of(runtime: str | None, source: str | None) -> Enforceability:
    """How far guard reaches into an action, by its runtime profile and its source.

    - SDK service runtime (`sdk_service`): the agent asks before it acts, so guard enforces before anything executes.
    - Local coding assistant and governed coding agent (`coding_assistant`, `coding_agent`): a hook of the runtime is
      between the agent and its tools; it sees calls, and nothing of what the agent believes.
    - Imported evidence (`evidence_import`, or source `import` whatever the runtime): it happened before, so guard can
      only look at it.

    Any other runtime is taken for an SDK service, the one that owes most.
    """
    if source == Source.IMPORT:
        return Enforceability.OBSERVE_ONLY
    return ENFORCEABILITY.get(runtime or "", Enforceability.ENFORCE_BEFORE_EXECUTE)
