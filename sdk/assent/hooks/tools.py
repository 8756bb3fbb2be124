"""What a tool call means for governance: one table over the tools of coding assistants, and what their input says.

A call becomes an action type, a goal in one line, the systems it touches, whether it can be undone, and a risk between
0 and 100 that guard takes as the agent's own estimate. A tool that is not in the table is `tool`, of middling risk.
Obvious secrets never get into any of it.
"""

import re

from assent.hooks.commands import INTENTS
from assent.hooks.paths import SECRET_KINDS, Place, place
from assent.hooks.shell import parse, patched
from assent.secrets import displayed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeGuard

LONGEST_GOAL = 300
LONGEST_LIST = 20
LONGEST_NAME, LONGEST_PATH = 200, 1000

SHELL, FILE_READ, FILE_WRITE, FILE_SEARCH = "shell", "file_read", "file_write", "file_search"
NETWORK, MCP, AGENT, PLAN, TOOL = "network", "mcp", "agent", "plan", "tool"

KINDS = {
    # Claude Code
    **dict.fromkeys(("Bash",), SHELL),
    **dict.fromkeys(("Read", "NotebookRead", "BashOutput", "ReadMcpResource", "ListMcpResources"), FILE_READ),
    **dict.fromkeys(("Write", "Edit", "MultiEdit", "NotebookEdit"), FILE_WRITE),
    **dict.fromkeys(("Glob", "Grep", "LS"), FILE_SEARCH),
    **dict.fromkeys(("WebFetch", "WebSearch"), NETWORK),
    **dict.fromkeys(("Task", "Agent"), AGENT),
    **dict.fromkeys(("TodoWrite", "ExitPlanMode", "EnterPlanMode", "AskUserQuestion", "KillShell"), PLAN),
    # Codex
    **dict.fromkeys(("shell", "local_shell", "exec_command", "shell_command", "unified_exec", "write_stdin"), SHELL),
    **dict.fromkeys(("apply_patch",), FILE_WRITE),
    **dict.fromkeys(("read_file", "view_image"), FILE_READ),
    **dict.fromkeys(("grep_files", "list_dir"), FILE_SEARCH),
    **dict.fromkeys(("web_search", "web_fetch"), NETWORK),
    **dict.fromkeys(("update_plan", "request_user_input"), PLAN),
}
RISK = {
    # risk, reversible
    SHELL: (25, True),
    FILE_READ: (5, True),
    FILE_WRITE: (20, True),
    FILE_SEARCH: (5, True),
    NETWORK: (30, True),
    MCP: (40, True),
    AGENT: (30, True),
    PLAN: (0, True),
    TOOL: (30, True),
}
OF_MCP = (
    # words in the name of an MCP tool, and what they add up to
    (("delete", "remove", "drop", "destroy", "purge", "truncate", "revoke", "cancel"), 70, False),
    (("deploy", "publish", "release", "merge", "pay", "transfer", "refund", "charge", "purchase", "order"), 70, False),
    (("send", "post", "email", "message", "invite", "share", "reply", "comment"), 55, False),
    (("execute", "exec", "run", "eval", "query", "sql"), 50, True),
    (("create", "update", "write", "set", "put", "edit", "add", "insert", "upload", "move", "rename"), 45, True),
    (("get", "list", "read", "search", "find", "fetch", "describe", "show", "lookup"), 20, True),
)
PATHS = ("file_path", "notebook_path", "path", "filename", "file")
WRITING_RISK = 45
"""From there on, an MCP tool is taken to change what it is given."""
SENSITIVE_RISK, OUTSIDE_RISK, OUTSIDE_WRITE_RISK = 70, 30, 60


class Meaning:
    """What one tool call means; `metadata` is what policies can look at beside it."""

    __slots__ = ("action_type", "goal", "metadata", "reversible", "risk", "systems")

    def __init__(self, action_type: str) -> None:
        self.action_type = action_type
        self.risk, self.reversible = RISK[action_type]
        self.systems: list[str] = []
        self.goal = ""
        self.metadata: dict[str, Any] = {}

    def raise_to(self, risk: int, reversible: bool = True) -> None:
        self.risk = max(self.risk, risk)
        self.reversible = self.reversible and reversible

    def touch(self, *systems: str) -> None:
        self.systems.extend(system for system in systems if system and system not in self.systems)


def meaning(tool: str, given: "Mapping[str, Any]", folder: str, home: str) -> Meaning:
    """What calling `tool` with `given` in the project's `folder` means. `home` is the user's own folder."""
    if tool.startswith("mcp__"):
        return _of_mcp(tool, given, folder, home)
    found = Meaning(KINDS.get(tool, TOOL))
    found.metadata["tool"] = tool[:LONGEST_NAME]
    if found.action_type == SHELL:
        _of_shell(found, given, folder, home)
    elif found.action_type in (FILE_READ, FILE_WRITE, FILE_SEARCH):
        _of_files(found, given, folder, home)
    elif found.action_type == NETWORK:
        _of_network(found, given)
    if not found.goal:
        said = next((given[name] for name in ("description", "prompt", "query", "plan") if _text(given.get(name))), "")
        found.goal = f"{tool}: {said}" if said else tool
    found.goal = _line(found.goal)
    return found


def _of_shell(found: Meaning, given: "Mapping[str, Any]", folder: str, home: str) -> None:
    line = command_line(given)
    script = parse(line)
    found.risk = 0
    found.goal = f"Run: {line}" if line.strip() else ""
    for name in sorted(script.intents or {"other"}):
        intent = INTENTS[name]
        found.raise_to(intent.risk, intent.reversible)
        found.touch(*intent.systems)
    if found.action_type == SHELL:
        found.touch("shell")
    # A word may be anything; only what looks like a path is taken for one.
    paths = [place(word, folder, home) for word in script.words if word not in script.writes and _is_path(word)]
    written = [place(word, folder, home) for word in script.writes]
    _look(found, written, writing=True)
    _look(found, paths, writing=False)
    hosts = list(script.hosts)[:LONGEST_LIST]
    found.touch(*hosts)
    found.metadata["intents"] = sorted(script.intents or {"other"})
    found.metadata["programs"] = [name[:LONGEST_NAME] for name in script.programs[:LONGEST_LIST]]
    if hosts:
        found.metadata["hosts"] = hosts


def _is_path(word: str) -> bool:
    if "/" in word or word.startswith((".", "~", "$HOME", "${HOME}")):
        return True
    return ("." in word or word.startswith("id_")) and place(word, "/x").sensitive is not None


def command_line(given: "Mapping[str, Any]") -> str:
    """The command as one line of shell: hosts give a text or a list of words, `["bash", "-lc", "..."]`."""
    command = given.get("command", given.get("cmd", given.get("chars", "")))
    if isinstance(command, list):
        words = [str(word) for word in command]
        if len(words) == 3 and words[1] in ("-c", "-lc") and words[0].rsplit("/", 1)[-1] in ("bash", "sh", "zsh"):
            return words[2]
        return " ".join("'" + word.replace("'", "'\"'\"'") + "'" for word in words)
    return command if isinstance(command, str) else str(command)


def _of_files(found: Meaning, given: "Mapping[str, Any]", folder: str, home: str) -> None:
    named = _patched(given) if found.metadata["tool"] == "apply_patch" else _named(given)
    found.touch("filesystem")
    _look(found, [place(name, folder, home) for name in named], writing=found.action_type == FILE_WRITE)
    did = {FILE_READ: "Read", FILE_WRITE: "Write", FILE_SEARCH: "Search"}[found.action_type]
    what = ", ".join(named[:3]) or str(given.get("pattern", ""))
    found.goal = f"{did} {what}" if what else ""


def _patched(given: "Mapping[str, Any]") -> "list[str]":
    """The files of a patch, wherever a host puts it."""
    texts = [given.get(name) for name in ("input", "patch", "command")]
    parts = [part for text in texts for part in (text if isinstance(text, list) else [text])]
    return [name for part in parts if _text(part) for name in patched(part)] or _named(given)


def _named(given: "Mapping[str, Any]") -> "list[str]":
    return [str(given[name]) for name in PATHS if _text(given.get(name))]


def _of_network(found: Meaning, given: "Mapping[str, Any]") -> None:
    address = given.get("url")
    found.touch("network")
    if _text(address):
        host = re.split(r"[/?#]", str(address).split("://", 1)[-1], maxsplit=1)[0].rsplit("@", 1)[-1][:LONGEST_NAME]
        found.touch(host)
        found.metadata["hosts"] = [host]
        # What stands behind `?` or `#` may be a secret, and is nobody's business here.
        found.goal = f"Fetch {re.split('[?#]', str(address), maxsplit=1)[0]}"


def _of_mcp(tool: str, given: "Mapping[str, Any]", folder: str, home: str) -> Meaning:
    """`mcp__<server>__<tool>`: what is known is the name, and paths and commands in the input; what a server says of
    its own tools is not trusted."""
    found = Meaning(MCP)
    server, _, name = tool.removeprefix("mcp__").partition("__")
    words = _words(name)
    for known, risk, reversible in OF_MCP:
        if words & set(known):
            found.risk, found.reversible = risk, reversible
            break
    found.touch(f"mcp:{server}")
    if any(_text(given.get(name)) or isinstance(given.get(name), list) for name in ("command", "cmd")):
        risk, reversible = found.risk, found.reversible
        _of_shell(found, given, folder, home)
        found.raise_to(risk, reversible)
    _look(found, [place(name, folder, home) for name in _named(given)], writing=found.risk >= WRITING_RISK)
    found.metadata.update(tool=tool[:LONGEST_NAME], mcp_server=server[:LONGEST_NAME], mcp_tool=name[:LONGEST_NAME])
    found.goal = _line(f"Call {name or tool} of the MCP server {server}")
    return found


def _words(name: str) -> "set[str]":
    """`createPull_request` as create, pull, request."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return set(re.split(r"[^a-z0-9]+", parted.lower()))


def _look(found: Meaning, places: "list[Place]", *, writing: bool) -> None:
    for each in places:
        if each.sensitive is not None and (writing or each.sensitive in SECRET_KINDS):
            found.raise_to(SENSITIVE_RISK, reversible=not writing)
            found.touch(each.sensitive)
            kinds = found.metadata.setdefault("sensitive", [])
            if each.sensitive not in kinds:
                kinds.append(each.sensitive)
        if each.outside:
            found.raise_to(0 if each.scratch else OUTSIDE_WRITE_RISK if writing else OUTSIDE_RISK)
            found.metadata["outside_project"] = True
        if each.traversal:
            found.raise_to(OUTSIDE_WRITE_RISK if writing else OUTSIDE_RISK)
            found.metadata["path_traversal"] = True
    if places:
        known = dict.fromkeys(found.metadata.get("paths", []))
        known.update(dict.fromkeys(displayed(each.path)[:LONGEST_PATH] for each in places[:LONGEST_LIST]))
        found.metadata["paths"] = list(known)[:LONGEST_LIST]


def _text(value: object) -> "TypeGuard[str]":
    return isinstance(value, str) and bool(value.strip())


def _line(text: str) -> str:
    line = " ".join(displayed(text).split())
    return line if len(line) <= LONGEST_GOAL else line[: LONGEST_GOAL - 1] + "…"
