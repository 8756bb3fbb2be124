"""Programs that run another one: what stands before a command and does not change what it does, and interpreters.

An interpreter is given code among its words or from its input; only the obvious is seen. Pure.
"""

import re

from assent.hooks.commands import CODE, SHELLS, base, is_known
from assent.hooks.reading import SUBSTITUTED
from assent.hooks.versions import named

PREFIXES = {
    # a program that runs what stands behind it, and its options that take a word
    **dict.fromkeys(("nohup", "setsid", "builtin", "busybox", "toybox", "caffeinate", "unbuffer"), ""),
    **dict.fromkeys(("parallel", "strace", "ltrace", "proxychains", "proxychains4", "fakeroot", "rlwrap"), ""),
    **dict.fromkeys(("time", "command"), ""),
    "stdbuf": "-i -o -e",
    "exec": "-a",
    "sudo": "-u -g -h -p -C -U -D -r -t -T -R --user --group --host --prompt --chdir",
    "doas": "-u -C",
    "env": "-u -C -S --unset --chdir",
    "timeout": "-s -k --signal --kill-after",
    "xargs": "-I -n -P -L -d -E -s -a --max-args --max-procs --delimiter --replace",
    "nice": "-n --adjustment",
    "ionice": "-c -n -p",
    "chrt": "",
    "taskset": "",
    "watch": "-n --interval",
    "chroot": "",
    "unshare": "",
    "nsenter": "-t",
}
OPERANDS = {"timeout": 1, "chroot": 1, "taskset": 1, "chrt": 1}
"""Words of a prefix's own before the command."""
WRAPPERS = frozenset(("flock", "script", "npx", "uvx", "bunx", "su"))
"""Programs whose words may hold a command, at no fixed place."""
CONTAINERS = frozenset(("docker", "podman", "docker-compose", "kubectl", "oc"))
"""And those that do so for some of their verbs."""
RUNNERS = {
    **dict.fromkeys(("uv", "poetry", "pipenv", "pdm", "hatch", "conda", "mamba"), frozenset(("run", "exec"))),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bundle", "bun"), frozenset(("exec", "dlx", "x"))),
}
"""Programs that run a command behind one of these words."""
_REMOTE = named("-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_TEXT = r"(?s)(?:-S|--split-string=)(.+)"


class Behind:
    """`words` are the command; `text` is one that is given as a text, and `takes_input` says that more words come from
    the input."""

    __slots__ = ("takes_input", "text", "words")

    def __init__(self, words: "list[str]") -> None:
        self.words = words
        self.text = ""
        self.takes_input = False


def behind_prefixes(words: "list[str]", intents: "set[str]", programs: "list[str]") -> Behind:
    """The command behind prefixes such as `FOO=1 sudo -u root timeout 5`; what they mean and are called is added."""
    found = Behind(_behind_assignments(words))
    while found.words and base(found.words[0]) in PREFIXES:
        program, rest = base(found.words[0]), found.words[1:]
        programs.append(program)
        if program in ("sudo", "doas", "nsenter", "chroot"):
            intents.add("privilege")
        found.takes_input = found.takes_input or program in ("xargs", "parallel")
        if program == "command" and rest[:1] in (["-v"], ["-V"]):
            intents.add("read")
            found.words = []
            return found
        rest = _behind_options(program, rest, found)
        rest = rest[OPERANDS.get(program, 0) :]
        if program == "env" and not rest and not found.text:
            intents.add("read_secrets")
        if program == "watch" and rest and " " in rest[0]:
            found.text, rest = " ".join(rest), []
        found.words = _behind_assignments(_known(rest))
    return found


def _behind_options(program: str, rest: "list[str]", found: Behind) -> "list[str]":
    taking = PREFIXES[program].split()
    while rest and (rest[0].startswith("-") or _ASSIGNMENT.match(rest[0])):
        text = re.fullmatch(_TEXT, rest[0]) if program == "env" else None
        if text is not None:
            found.text = " ".join([text[1], *rest[1:]])
            return []
        if program == "env" and rest[0] in ("-S", "--split-string"):
            found.text = " ".join(rest[1:])
            return []
        if rest[0] == "--":
            return rest[1:]
        rest = rest[2:] if rest[0] in taking else rest[1:]
    return rest


def _known(rest: "list[str]") -> "list[str]":
    """An option that is not known may take a word: then the first program that is known is the command."""
    if not rest or is_known(base(rest[0])) or base(rest[0]) in PREFIXES:
        return rest
    for at, word in enumerate(rest[1:5], 1):
        if is_known(base(word)) and base(word) not in ("test", "[", ".", ":"):
            return rest[at:]
    return rest


def _behind_assignments(words: "list[str]") -> "list[str]":
    at = 0
    while at < len(words) and _ASSIGNMENT.match(words[at]):
        at += 1
    return words[at:]


def behind_host(rest: "list[str]") -> str:
    """What `ssh` with these words has the other machine's shell run; empty for a session of its own."""
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in _REMOTE else rest[1:]
    return " ".join(rest[1:])


PRINTING = ("echo", "printf")
SCRIPTED = CODE | {"awk", "gawk", "mawk"}
_REMOVING = r"rmtree|\bos\.remove|unlink|rmSync|rm_rf|rmdir|remove_tree|File\.delete"
_SPAWNING = r"(?i)system|subprocess|popen|spawn|exec|child_process|`|%x|shell"
_STRING = r"'([^']*)'|\"([^\"]*)\"|`([^`]*)`"


def code_of(program: str, rest: "list[str]") -> "tuple[list[str], bool]":
    """The code among an interpreter's words, and whether it reads more code from its input."""
    if program == "eval":
        return [" ".join(rest)], False
    if program in ("source", "."):
        return [], rest[:1] in (["/dev/stdin"], ["-"])
    if program not in CODE | SHELLS:
        return rest, False  # awk
    flag = r"[-+][a-zA-Z]*c[a-zA-Z]*" if program in SHELLS else r"-[a-zA-Z]*[cerE]|--eval|--command|-command"
    for at, word in enumerate(rest):
        if re.fullmatch(flag, word):
            behind = rest[at + 1 :]
            while program in SHELLS and len(behind) > 1 and behind[0][:1] in ("-", "+"):
                behind = behind[1:]
            return behind[:1], False
    operands = [word for word in rest if not word.startswith("-")]
    takes_file = bool(operands) and operands[0] not in ("/dev/stdin", SUBSTITUTED)
    return [], "-s" in rest or not (takes_file or "-m" in rest)


def removes(code: str) -> bool:
    """Whether code of another language removes files, by the usual names for it."""
    return re.search(_REMOVING, code) is not None


def handed_on(code: str) -> str:
    """The texts in code of another language as one line of shell, if it starts programs; else empty."""
    if not re.search(_SPAWNING, code):
        return ""
    return " ".join(next((part for part in match if part), "") for match in re.findall(_STRING, code))


def printed(words: "list[str]") -> "list[str]":
    """What `echo` and `printf` with these words print, about; nothing for other commands."""
    if not words or base(words[0]) not in PRINTING:
        return []
    return [word for word in words[1:] if not re.fullmatch(r"-[neE]+", word)]
