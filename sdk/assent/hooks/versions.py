"""Which intents `git` and `gh` have: both keep what they do behind options and verbs."""


def named(text: str) -> "frozenset[str]":
    """The names in a text, between blanks."""
    return frozenset(text.split())


TAKING = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env")
"""Options of git before its verb that take a word."""
READING = named(
    """
    status log diff show blame describe rev-parse ls-files shortlog grep cat-file ls-remote ls-tree rev-list show-ref
    merge-base name-rev whatchanged help version count-objects fsck for-each-ref check-ignore diff-tree
    """
)
LISTING = frozenset(("branch", "tag", "remote", "config", "reflog", "stash", "worktree", "notes"))
"""Verbs that read when nothing is named behind them, or one of these."""
LOOKING = frozenset(
    ("list", "show", "get", "get-url", "-l", "--list", "-v", "-vv", "-a", "-r", "--get", "--show-current")
)
STEERING = ("core.hookspath", "core.sshcommand", "core.editor", "core.pager", "credential.", "alias.", "core.fsmonitor")
"""Settings of git that make it run something."""


def git(rest: "list[str]") -> "set[str]":
    """The intents of `git` with these words."""
    while rest and rest[0].startswith("-"):
        if rest[0] == "-c" and rest[1:] and rest[1].lower().startswith(STEERING):
            return {"persistence", "run_code"}
        rest = rest[2:] if rest[0] in TAKING else rest[1:]
    if not rest:
        return {"read"}
    verb, rest = rest[0], rest[1:]
    words = [word for word in rest if not word.startswith("-")]
    flags = {word for word in rest if word.startswith("-")}
    letters = {letter for flag in flags if not flag.startswith("--") for letter in flag[1:]}
    if verb == "push":
        forced = letters & {"f", "d"} or any(
            word.startswith(("+", ":", "--force", "--mirror", "--delete", "--prune")) for word in rest
        )
        return {"rewrite_history", "publish_code"} if forced else {"publish_code"}
    if _rewrites(verb, rest, flags):
        return {"rewrite_history"}
    if _discards(verb, rest, flags, letters):
        return {"delete"}
    if verb in ("clone", "fetch", "pull", "submodule"):
        return {"version_control", "network"}
    if verb == "credential":
        return {"read_secrets"}
    if verb == "config" and any(word.lower().startswith(STEERING) for word in words) and not flags & LOOKING:
        return {"persistence"} if len(words) > 1 else {"read"}
    looks = verb in LISTING and (not rest or rest[0] in LOOKING or (verb in ("config", "remote") and len(words) == 1))
    return {"read"} if verb in READING or looks else {"version_control"}


def _rewrites(verb: str, rest: "list[str]", flags: "set[str]") -> bool:
    return (
        verb in ("filter-branch", "filter-repo", "rebase", "replace")
        or (verb == "reset" and "--hard" in flags)
        or (verb == "commit" and "--amend" in flags)
        or (verb == "reflog" and rest[:1] in (["expire"], ["delete"]))
        or (verb == "gc" and any(flag.startswith("--prune") for flag in flags))
        or (verb == "update-ref" and "-d" in flags)
    )


def _discards(verb: str, rest: "list[str]", flags: "set[str]", letters: "set[str]") -> bool:
    """Whether what was never committed, or a branch, is lost."""
    return (
        (verb == "clean" and not letters & {"n"} and "--dry-run" not in flags)
        or (verb in ("branch", "tag") and bool(letters & {"D", "d"} or "--delete" in flags))
        or (verb == "stash" and rest[:1] in (["drop"], ["clear"]))
        or (verb == "checkout" and ("--" in rest or "-f" in flags or "--force" in flags or rest[-1:] == ["."]))
        or (verb == "restore" and "--staged" not in flags)
        or (verb == "worktree" and rest[:1] == ["remove"])
        or verb == "rm"
    )


def github(rest: "list[str]") -> "set[str]":
    """The intents of GitHub's own command, `gh`."""
    words = [word for word in rest if not word.startswith("-")]
    noun, verb = [*words, "", ""][:2]
    if verb in ("delete", "archive"):
        return {"destroy_infrastructure"}
    if noun == "auth" and verb == "token":
        return {"read_secrets"}
    if noun == "api":
        changes = any(word.upper() in ("POST", "PUT", "PATCH", "DELETE", "-XDELETE", "-XPOST") for word in rest)
        return (
            {"publish_code"}
            if changes or any(word.startswith(("-f", "-F", "--field")) for word in rest)
            else {"network"}
        )
    changing = ("create", "merge", "comment", "edit", "close", "review", "set", "run", "upload", "rename", "transfer")
    return {"publish_code"} if verb in changing else {"network"}
