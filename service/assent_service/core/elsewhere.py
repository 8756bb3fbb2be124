"""What published clients ask for and this service does not do, with what to use in its place.

Looked up only where no route fits, and for the few fixed paths that a route with an id in it would otherwise take for
an id. The answer is the same for everybody and says nothing about any organization, so it needs no key, just as the
answer to a path that nobody knows.

Three reasons: it would run something elsewhere in an agent's name, it would hand out secrets, or it would state a
number that nothing recorded here supports.
"""

from __future__ import annotations

from collections.abc import Iterable

from assent.contract.problems import Code
from assent_service.base.problem import Refusal, refuse

RUN_IT = (
    "The service decides about actions and records them; it runs nothing itself. Create the action (create_action, "
    "POST /api/actions), do the work where you are, then report it (update_outcome, PATCH /api/actions/{id})."
)
NO_SECRETS = "The service keeps no secrets for agents. Take them from your own environment or secret store."
REPUTATION = (
    "Agents have no reputation score here. get_actions(agent_id=...) and get_guard_decisions(agent_id=...) have the "
    "record that one could be built on, get_decision_mix(agent_id=...) counts it."
)
CAPABILITY_HEALTH = (
    "Capabilities are described here and run elsewhere, so their health is not known. get_actions(action_type=...) "
    "shows what agents did with them."
)

PLACES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("/api/capabilities/{id}/invoke", ("POST",), RUN_IT),
    ("/api/capabilities/{id}/test", ("POST",), RUN_IT),
    ("/api/capabilities/health", ("GET",), CAPABILITY_HEALTH),
    ("/api/capabilities/{id}/health", ("GET",), CAPABILITY_HEALTH),
    ("/api/capabilities/{id}/history", ("GET",), CAPABILITY_HEALTH),
    ("/api/agents/invoke", ("POST",), RUN_IT),
    ("/api/model-strategies/{id}/complete", ("POST",), RUN_IT),
    ("/api/workflows/templates/{id}/execute", ("POST",), f"{RUN_IT} launch_workflow_template creates such an action."),
    ("/api/secrets/env", ("GET",), NO_SECRETS),
    ("/api/reputation/verify", ("POST",), REPUTATION),
    ("/api/reputation/agents/{id}", ("GET",), REPUTATION),
    ("/api/reputation/agents/{id}/events", ("GET",), REPUTATION),
    ("/api/reputation/agents/{id}/receipt", ("GET",), REPUTATION),
    ("/api/reputation/agents/{id}/recompute", ("POST",), REPUTATION),
)
"""Path, methods, what to use instead. `{id}` stands for one segment, whatever it is."""


class Elsewhere:
    """The table, ready to be looked up."""

    def __init__(self, places: Iterable[tuple[str, tuple[str, ...], str]] = PLACES) -> None:
        self._fixed: dict[tuple[str, str], str] = {}
        self._templates: dict[tuple[str, int], list[tuple[list[str], str]]] = {}
        for path, methods, instead in places:
            segments = path.split("/")[1:]
            for method in methods:
                if "{id}" in segments:
                    self._templates.setdefault((method, len(segments)), []).append((segments, instead))
                else:
                    self._fixed[method, path] = instead

    def fixed(self, method: str, path: str) -> Refusal | None:
        """For a path that the table names letter by letter."""
        instead = self._fixed.get((method, path))
        return None if instead is None else _refusal(method, path, instead)

    def find(self, method: str, path: str) -> Refusal | None:
        """For any path of the table."""
        said = path.split("/")[1:]
        for segments, instead in self._templates.get((method, len(said)), ()):
            if all(each in ("{id}", one) for each, one in zip(segments, said, strict=True)):
                return _refusal(method, path, instead)
        return self.fixed(method, path)


def _refusal(method: str, path: str, instead: str) -> Refusal:
    return refuse(Code.NOT_SERVED, f"{method} {path[:200]} is not served. {instead}")
