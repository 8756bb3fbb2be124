"""What a hook is told: from its configuration file, and from the environment, which wins.

The file is JSON with the members below, made by `assent hooks install` and readable by its owner alone, since it holds
the agent's key. A member that is neither here nor there has its default. `version` says which installation wrote it:
one before the second wrote `"allow": "say"` whether or not anybody had asked for it, so from there it is not taken.
"""

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ENFORCE, OBSERVE = "enforce", "observe"
MODES = (ENFORCE, OBSERVE)
APPROVE_IN_ASSENT, APPROVE_AT_HOST = "assent", "host"
APPROVALS = (APPROVE_IN_ASSENT, APPROVE_AT_HOST)
HOSTS = ("claude", "codex")
ALLOW_PASS, ALLOW_SAY = "pass", "say"
ALLOWS = (ALLOW_PASS, ALLOW_SAY)
VERSION = 2
"""Of what `assent hooks install` writes. 1, which stands nowhere: the hook told its host to go ahead by default."""
LONGEST_WAIT = 550.0
"""Seconds; hosts give a hook 600 unless told otherwise."""
MEMBERS = {
    "base_url": "ASSENT_BASE_URL",
    "api_key": "ASSENT_API_KEY",
    "agent_id": "ASSENT_AGENT_ID",
    "mode": "ASSENT_HOOK_MODE",
    "approvals": "ASSENT_HOOK_APPROVALS",
    "wait": "ASSENT_HOOK_WAIT",
    "allow": "ASSENT_HOOK_ALLOW",
    "state": "ASSENT_HOOK_STATE",
    "accept_unbound_answers": "ASSENT_ACCEPT_UNBOUND_ANSWERS",
    "session_id": "ASSENT_SESSION_ID",
    "tell_sessions": "ASSENT_TELL_SESSIONS",
}
"""Members of the file, and the variables that win over them."""
VARIABLES = {
    "ASSENT_HOOK_MODE": (ENFORCE, "`enforce` stops calls and fails closed, `observe` only records"),
    "ASSENT_HOOK_APPROVALS": (
        APPROVE_IN_ASSENT,
        "who is asked where guard wants a person, `assent` (operators) or `host` (whoever sits there)",
    ),
    "ASSENT_HOOK_WAIT": ("0", f"seconds that a call waits for an operator, up to {LONGEST_WAIT:g}"),
    "ASSENT_HOOK_ALLOW": (
        ALLOW_PASS,
        "`pass` leaves a call that guard lets through to the assistant's own rules, `say` tells it to go ahead where "
        "the risk is below 70 and nothing is destroyed",
    ),
    "ASSENT_HOOK_STATE": (
        "",
        "where calls that wait for an operator are remembered, else the user's folder for state",
    ),
}
"""The variables of the hooks alone: the default, empty where there is none, and what it means."""


class Settings:
    """`mode`: enforce or observe. `approvals`: who is asked when guard wants a person, `assent` (its operators) or
    `host` (whoever sits at the assistant). `wait`: seconds to wait for an operator within one call. `allow`: `pass`
    leaves what guard lets through to the host's own rules; `say` tells the host to go ahead without asking, where
    `pre_tool.may_go_ahead` has nothing against it. `state` is the folder where calls that wait are remembered.
    With `accept_unbound_answers` an answer need not carry the id of its request. `session_id` is the session in which
    the assistant was started, which the calls' own session is inside of. With `tell_sessions` calls show their
    parameters, and their session is told what they gave."""

    __slots__ = (
        "accept_unbound_answers",
        "agent_id",
        "allow",
        "api_key",
        "approvals",
        "base_url",
        "mode",
        "session_id",
        "state",
        "tell_sessions",
        "wait",
    )

    def __init__(self) -> None:
        self.base_url = "http://127.0.0.1:8484"
        self.api_key = ""
        self.agent_id = ""
        self.mode = ENFORCE
        self.approvals = APPROVE_IN_ASSENT
        self.wait = 0.0
        self.allow = ALLOW_PASS
        self.state = ""
        self.accept_unbound_answers = False
        self.session_id = ""
        self.tell_sessions = False


class BadSettings(ValueError):
    """What is wrong, which value, and what to do. `mode` is the one in which to fail."""

    mode = ENFORCE


def read(file: str, environment: "Mapping[str, str]") -> Settings:
    """Raises BadSettings, which says in which mode to fail: where that cannot be read, only a plain `observe` in the
    environment lets anything through."""
    settings = Settings()
    given: dict[str, object] = {
        name: environment[variable] for name, variable in MEMBERS.items() if environment.get(variable)
    }
    try:
        if file:
            given = _chosen(_file(file)) | given
        for name, value in given.items():
            if name == "wait":
                settings.wait = _seconds(value)
            elif name in ("accept_unbound_answers", "tell_sessions"):
                setattr(settings, name, _switch(MEMBERS[name], value))
            elif name in MEMBERS:
                setattr(settings, name, str(value))
        _check(settings)
    except BadSettings as error:
        error.mode = OBSERVE if given.get("mode") == OBSERVE else ENFORCE
        raise
    settings.state = settings.state or default_state(environment)
    return settings


def version_of(members: "Mapping[str, object]") -> int:
    """Which version of the installation wrote a configuration."""
    version = members.get("version", 1)
    return version if isinstance(version, int) and not isinstance(version, bool) else 1


def _chosen(members: "dict[str, object]") -> "dict[str, object]":
    """Without what an earlier installation wrote and nobody chose."""
    if version_of(members) < VERSION:
        members.pop("allow", None)
    return members


def mode_of(environment: "Mapping[str, str]") -> str:
    """The mode where nothing else can be read: only a plain `observe` lets anything through."""
    return OBSERVE if environment.get("ASSENT_HOOK_MODE", "").strip() == OBSERVE else ENFORCE


def default_state(environment: "Mapping[str, str]") -> str:
    base = environment.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")  # noqa: PTH111, PTH118  # pathlib costs more than the rest of the start
    return os.path.join(base, "assent", "hooks")  # noqa: PTH118


def _file(file: str) -> "dict[str, object]":
    try:
        with open(file, encoding="utf-8") as stream:  # noqa: PTH123
            found = json.load(stream)
    except OSError as error:
        raise BadSettings(
            f"the configuration {file} cannot be read ({error.strerror}); run `assent hooks install` again"
        ) from None
    except (ValueError, RecursionError):
        raise BadSettings(f"the configuration {file} is not JSON; run `assent hooks install` again") from None
    if not isinstance(found, dict):
        raise BadSettings(f"the configuration {file} is no JSON object; run `assent hooks install` again")
    return found


def _check(settings: Settings) -> None:
    if settings.mode not in MODES:
        raise BadSettings(f"ASSENT_HOOK_MODE is {settings.mode[:40]!r}; it can be {' or '.join(MODES)}")
    if settings.approvals not in APPROVALS:
        raise BadSettings(f"ASSENT_HOOK_APPROVALS is {settings.approvals[:40]!r}; it can be {' or '.join(APPROVALS)}")
    if settings.allow not in ALLOWS:
        raise BadSettings(f"ASSENT_HOOK_ALLOW is {settings.allow[:40]!r}; it can be {' or '.join(ALLOWS)}")
    if settings.state and not os.path.isabs(settings.state):  # noqa: PTH117
        raise BadSettings(f"ASSENT_HOOK_STATE is {settings.state[:80]!r}; give a whole path, beginning at the root")
    if not settings.api_key:
        raise BadSettings("there is no key; set ASSENT_API_KEY, or run `assent hooks install`")
    if not all(33 <= ord(sign) <= 126 for sign in settings.api_key):
        raise BadSettings("the key has signs that no header can carry; copy it again")


def _seconds(value: object) -> float:
    try:
        seconds = float(str(value))
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= LONGEST_WAIT:
        raise BadSettings(f"ASSENT_HOOK_WAIT is {str(value)[:40]!r}; give seconds from 0 to {LONGEST_WAIT:g}")
    return seconds


def _switch(name: str, value: object) -> bool:
    # The words are those of assent.settings, which takes longer to import than this to read.
    text = str(value).strip().lower()
    if text not in ("0", "false", "no", "off", "1", "true", "yes", "on"):
        raise BadSettings(f"{name} is {text[:40]!r}; give 1 or 0")
    return text in ("1", "true", "yes", "on")
