"""What a path on a tool call means: whether it leaves the project, and whether it is one that holds secrets or steers
the machine. Nothing is opened; the text alone is looked at, after `.` and `..` have been worked out.
"""

import re

SENSITIVE = (
    # pattern over the path in lower case with forward slashes, and what such a file is
    (r"(^|/)\.env(\.(?!example$|sample$|template$|dist$)[^/]+)?$", "secrets"),
    (r"(^|/)\.(ssh|gnupg|aws|azure|kube|config/gcloud|docker/config\.json)(/|$)", "credentials"),
    (r"(^|/)(id_(rsa|dsa|ecdsa|ed25519)[^/]*(?<!\.pub)|[^/]*\.(pem|key|p12|pfx|jks|keystore|kdbx))$", "credentials"),
    (
        r"(^|/)(\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|credentials(\.json|\.csv)?)$",
        "credentials",
    ),
    (r"(^|/)(secrets?|tokens?)(\.(json|ya?ml|toml|txt|ini|env|enc|conf|cfg|properties|csv))?$", "secrets"),
    (r"^/proc/[^/]+/(environ|mem|cmdline)$", "secrets"),
    (r"(^|/)(\.assent|\.config/assent|\.local/state/assent)(/|$)", "governance"),
    (r"^/etc/(passwd|shadow|gshadow|sudoers(\.d)?|ssh)(/|$)", "system accounts"),
    (r"^/(etc|boot|sys|proc|dev|usr|bin|sbin|lib|lib64|var/lib|root|system|library)(/|$)", "system"),
    (r"^[a-z]:/(windows|program files|programdata)(/|$)", "system"),
    (r"(^|/)\.(bashrc|bash_profile|profile|zshrc|zprofile|zshenv|config/fish)(/|$)", "start-up files"),
    (r"(^|/)\.git/(hooks|config)(/|$)", "git hooks"),
    (r"(^|/)\.(claude|codex|cursor)/(hooks(/|$)|[^/]*(settings|hooks|config|mcp)[^/]*$)", "assistant settings"),
    (r"(^|/)\.(mcp|claude)\.json$", "assistant settings"),
    (r"(^|/)(\.github/workflows|\.gitlab-ci\.yml|\.circleci|jenkinsfile)(/|$)", "continuous integration"),
    (r"(^|/)(crontab|cron\.(d|daily|hourly|weekly|monthly)|systemd/(system|user))(/|$)", "scheduled jobs"),
)
SECRET_KINDS = frozenset(("secrets", "credentials", "system accounts", "governance"))
"""Kinds that are sensitive to be read; the others steer something, and are when they are written."""
SCRATCH = ("/tmp", "/var/tmp", "/private/tmp", "/var/folders")  # noqa: S108  # named, never used
HARMLESS = ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/urandom")
_compiled: "list[tuple[re.Pattern[str], str]]" = []


class Place:
    """One path. `outside` is true where it leaves the project, `traversal` where it does so by `..`; `sensitive` says
    what such a file is, None for an ordinary one."""

    __slots__ = ("outside", "path", "scratch", "sensitive", "traversal")

    def __init__(self, path: str, outside: bool, traversal: bool, sensitive: "str | None") -> None:
        self.path = path
        self.outside = outside
        self.traversal = traversal
        self.sensitive = sensitive
        self.scratch = path in SCRATCH or path.startswith(tuple(f"{folder}/" for folder in SCRATCH))


def place(path: str, folder: str, home: str = "") -> Place:
    """Where `path` leads from `folder`, the project's; `home` stands for `~`."""
    given = path.replace("\\", "/")
    if given == "~" or given.startswith("~/"):
        given = (home.replace("\\", "/").rstrip("/") or "~") + given[1:]
    for name in ("$HOME", "${HOME}"):
        if given.startswith(name):
            given = (home or "~") + given[len(name) :]
    root = folder.replace("\\", "/").rstrip("/") or "/"
    absolute = _is_absolute(given) or given.startswith("~")
    whole = resolved(given if absolute else f"{root}/{given}")
    outside = whole != root and not whole.startswith(root.rstrip("/") + "/")
    traversal = ".." in given.split("/") and outside
    if whole in HARMLESS:
        return Place(whole, outside=False, traversal=False, sensitive=None)
    return Place(whole, outside, traversal, kind_of(whole, outside and not _within(whole, home)))


def _within(whole: str, home: str) -> bool:
    folder = home.replace("\\", "/").rstrip("/")
    return bool(folder) and whole.startswith(folder + "/")


def kind_of(whole: str, outside: bool) -> "str | None":
    """What kind of sensitive file it is. A system folder counts only when it is not the project or the home itself."""
    low = whole.lower()
    if not _compiled:  # many calls name no path at all
        _compiled.extend((re.compile(pattern), kind) for pattern, kind in SENSITIVE)
    for pattern, kind in _compiled:
        if (kind != "system" or outside) and pattern.search(low):
            return kind
    return None


def resolved(path: str) -> str:
    """Without `.`, `..` and doubled slashes; `..` above the root stays at the root."""
    parts: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == "..":
            if parts:
                parts.pop()
        else:
            parts.append(part)
    joined = "/".join(parts)
    return joined if path.startswith("~") or re.match(r"[A-Za-z]:/", path) else "/" + joined


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or re.match(r"[A-Za-z]:/", path) is not None
