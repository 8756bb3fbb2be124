"""docs/reference/settings.md, from the declarations of the settings."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from assent import settings as client
from assent.contract.record import metas_of
from assent.hooks import settings as hooks
from assent_analytics.episode_score import Weights
from assent_dashboard import settings as dashboard
from assent_service.core.settings import ENVIRONMENT, FILE, Levels, Settings, Thresholds
from tests.docs.reference.markdown import code, page, prose, table


def settings_page() -> str:
    return page(
        "Settings",
        prose(
            f"The service reads `{FILE}` in its data folder, and the environment, which wins. A setting is a line such "
            "as `approval_hours = 8`. What it does not know or cannot use ends the start, with the name, the value and "
            "what is allowed. Below the name of a setting is its environment variable, where it has one."
        ),
        ["## The service"],
        table(("setting", "default", "allowed", "meaning"), map(_row, _members(Settings))),
        ["## Signals"],
        prose(
            "Each signal is a table of its own, both levels given: `[signals.autonomy_spike]`, then `amber = 10` and "
            "`red = 20`. `agent_silent_minutes` is one number in `[signals]`. Windows are fixed: an hour, a day, seven "
            "days."
        ),
        table(("threshold", "amber", "red", "what it counts"), map(_levels, _members(Thresholds))),
        ["## Weights of an episode's score"],
        prose("In the table `[episodes]`. How they add up is in `assent_analytics.episode_score`."),
        table(
            ("weight", "default", "allowed"), ([each[0], each[1], each[2]] for each in map(_weight, _members(Weights)))
        ),
        ["## The client"],
        prose("From the environment of the process that has the client. What is given to `Client(...)` wins over it."),
        table(("environment", "default", "meaning"), _variables(client.VARIABLES)),
        ["## The hooks of coding assistants"],
        prose(
            "`assent hooks install` writes them into a file of their own; the environment wins over it. The hooks also "
            f"read {_listed(name for name in hooks.MEMBERS.values() if name in client.VARIABLES)}."
        ),
        table(("environment", "default", "meaning"), _variables(hooks.VARIABLES)),
        ["## The dashboard"],
        prose(
            "From the environment of its process: that of `assent dashboard`, or of `assent start`. The inbox of "
            "`assent approvals` reads it from its own."
        ),
        table(("environment", "default", "meaning"), _variables(dashboard.VARIABLES)),
    )


def _members(struct: type[Struct]) -> list[tuple[str, Any, Any]]:
    """Name, type hint and default of each member."""
    hints = get_type_hints(struct, include_extras=True)
    return [(each.name, hints[each.name], each.default) for each in msgspec.structs.fields(struct)]


def meaning_of(hint: Any) -> str:
    """What a setting says of itself. Raises ValueError where it says nothing."""
    told = [each.description for each in metas_of(hint) if each.description]
    if not told:
        raise ValueError(f"{hint} has no meaning; declare it as Annotated[..., meaning('...')]")
    return told[-1]


def _row(member: tuple[str, Any, Any]) -> list[str]:
    name, hint, default = member
    variables = [code(variable) for variable, of in ENVIRONMENT.items() if of == name]
    return ["<br>".join([code(name), *variables]), _shown(default), allowed(hint), meaning_of(hint)]


def _weight(member: tuple[str, Any, Any]) -> list[str]:
    name, hint, default = member
    return [code(name), _shown(default), allowed(hint)]


def _levels(member: tuple[str, Any, Any]) -> list[str]:
    name, hint, default = member
    amber, red = (default.amber, default.red) if isinstance(default, Levels) else (default, None)
    return [code(name), _shown(amber), "" if red is None else _shown(red), meaning_of(hint)]


def _shown(default: Any) -> str:
    if default is None:
        return "none"
    if isinstance(default, bool):
        return code(str(default).lower())
    if isinstance(default, int | float):
        return code(_number(default))
    return code(list(default) if isinstance(default, tuple) else default)


def allowed(hint: Any) -> str:
    """The range or the choices of a setting, in words; empty where its type says it all."""
    for part in (hint, *get_args(hint)):
        if get_origin(part) is Literal:
            return ", ".join(code(each) for each in get_args(part))
    bounds = [_bounds(each) for each in metas_of(hint)]
    return next((each for each in bounds if each), "")


def _number(value: float) -> str:
    """Without an exponent where it is whole."""
    return f"{value:.0f}" if value == int(value) else f"{value:g}"


def _bounds(meta: Meta) -> str:
    least = _number(meta.ge) if meta.ge is not None else f"above {_number(meta.gt)}," if meta.gt is not None else ""
    most = _number(meta.le) if meta.le is not None else ""
    if least.startswith("above"):
        return f"{least} up to {most}" if most else least.rstrip(",")
    return f"{least} to {most}" if least and most else least or (f"up to {most}" if most else "")


def _variables(declared: dict[str, tuple[str, str]]) -> list[list[str]]:
    return [[code(name), default and code(default), meaning] for name, (default, meaning) in declared.items()]


def _listed(names: Any) -> str:
    *most, last = (code(name) for name in names)
    return f"{', '.join(most)} and {last}"
