"""What a shell command line does: what is run, with which intents, on which paths and hosts.

What nobody can tell from the text alone is `unreadable`, and counts as risky and not as harmless: a line that does not
end, a program whose name is computed, a script that comes out of another command.
"""

import re

from assent.hooks.commands import (
    BUILT_IN,
    DATABASES,
    DEVICES,
    FETCHING,
    INTENTS,
    SHELLS,
    base,
    drops,
    intents_of,
    is_known,
)
from assent.hooks.prefixes import (
    CONTAINERS,
    PRINTING,
    RUNNERS,
    SCRIPTED,
    WRAPPERS,
    behind_host,
    behind_prefixes,
    code_of,
    handed_on,
    printed,
    removes,
)
from assent.hooks.reading import Command, read
from assent.secrets import holds_secret

LONGEST = 64_000
DEEPEST = 5
LONGEST_PIPE = 20
WRAPPED, GUESSED = 12, 20
"""Words of a program among which the command may begin that it runs, and how many commands each such guess counts."""
MOST = 2_000
"""Words and commands that are looked at; whoever writes more is not understood."""
KEYWORDS = frozenset(
    ("if", "then", "else", "elif", "fi", "while", "until", "do", "done", "esac", "{", "}", "!", "coproc", "time")
)
CLOSING = ("}", "done", "fi", "esac")
SENDING = (*PRINTING, *FETCHING, "nc", "ncat", "tee")
RISKY = 50
_HOST = r"\b(?:https?|ftp|ssh|wss?|git)://(?:[^/@\s]*@)?([A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\])"
_HELD = r"(?i)\$\{?[A-Z_]{0,64}(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|CREDENTIAL|PRIVATE_?KEY)"
_PATCHED = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
_COMPUTED = re.compile(r"[$`*?]|\[.|\{.")


class Script:
    """What a command line does. `programs` in their order; `words` may be paths, `writes` are paths that change."""

    __slots__ = ("commands", "hosts", "intents", "programs", "words", "writes")

    def __init__(self) -> None:
        self.intents: set[str] = set()
        self.programs: list[str] = []
        self.words: dict[str, None] = {}
        self.writes: dict[str, None] = {}
        self.hosts: dict[str, None] = {}
        self.commands = 0

    def unreadable(self) -> "Script":
        self.intents.add("unreadable")
        return self

    def full(self) -> bool:
        """Whether there is more than anybody looks at; that is unreadable, then."""
        full = self.commands > MOST or len(self.words) + len(self.writes) > MOST
        if full:
            self.unreadable()
        return full


def parse(line: str, script: "Script | None" = None, depth: int = 0) -> Script:
    """Take `line` apart, into `script` when it is a part of one."""
    script = script or Script()
    if depth > DEEPEST or len(line) > LONGEST:
        return script.unreadable()
    if depth == 0:
        script.hosts.update(dict.fromkeys(re.findall(_HOST, line) if "://" in line else ()))
        if ":(){" in line.replace(" ", ""):
            script.intents.add("system")  # a function that starts itself twice, until nothing runs any more
    commands, readable = read(line)
    if not readable:
        script.unreadable()
    _all(commands, script, depth)
    return script


def patched(patch: str) -> "list[str]":
    """The files that a patch of `apply_patch` changes."""
    return [line.split(": ", 1)[1].strip() for line in patch.splitlines() if line.startswith(_PATCHED)]


def _all(commands: "list[Command]", script: Script, depth: int) -> None:
    pipe: list[Command] = []
    for command in commands:
        script.commands += 1
        if script.full():
            return
        if command.operator not in ("|", "|&"):
            pipe = []
        _one(command, script, depth, pipe)
        pipe.append(command)
        if len(pipe) > LONGEST_PIPE:
            script.unreadable()
            return
        for nested in command.nested:
            _all(nested, script, depth)


def _one(command: Command, script: Script, depth: int, pipe: "list[Command]") -> None:
    for operator, target in command.redirects:
        _redirect(operator, target, script)
    if len(command.words) > MOST:
        script.unreadable()
    words = _simple(command, script)
    before = behind_prefixes(words, script.intents, script.programs)
    if not before.words:
        if before.text:
            parse(before.text, script, depth + 1)
        return
    words = before.words + _handed(pipe) if before.takes_input else before.words
    if before.text:
        parse(before.text, script, depth + 1)
    _run(words, command, script, depth, pipe)


def _simple(command: Command, script: Script) -> "list[str]":
    """The words of a command without the words of the shell's own grammar before it."""
    words = _behind_grammar(command.words[:MOST])
    if command.operator == "((" and words and intents_of(words) == {"other"}:
        return []  # arithmetic
    if words and words[0] in ("for", "select", "case"):
        _words(words[1:], script)
        return []
    return words


def _behind_grammar(words: "list[str]") -> "list[str]":
    while words and words[0] in KEYWORDS:
        words = words[1:]
    if words and (words[0] == "function" or "{" in words[1:2]):
        behind = words[2:]
        return _behind_grammar(behind[1:] if behind[:1] == ["{"] else behind)
    return words


def _run(words: "list[str]", command: Command, script: Script, depth: int, pipe: "list[Command]") -> None:
    """A program with its words."""
    if depth > DEEPEST:
        script.unreadable()
        return
    program, rest = base(words[0]), words[1:]
    script.programs.append(program)
    if program not in ("[", "[[", "{") and _COMPUTED.search(words[0]):
        script.unreadable()
        _words(rest, script)
        return
    found = intents_of(words)
    if program in SHELLS | SCRIPTED | BUILT_IN:
        found |= _code(program, rest, command, script, depth, pipe)
    if program in DATABASES and drops("\n".join([*command.bodies, *_handed(pipe)])):
        found |= {"destroy_data"}
    if program in WRAPPERS | CONTAINERS | RUNNERS.keys() or program == "ssh" or found == {"other"}:
        _wrapped(program, rest, command, script, depth, pipe)
    if program in SENDING and any("$" in word and re.search(_HELD, word) for word in rest):
        found |= {"read_secrets"}
    script.intents |= found
    _named(program, rest, command, script, depth)
    _words(rest, script)
    _writes(program, rest, command, found, script)


def _named(program: str, rest: "list[str]", command: Command, script: Script, depth: int) -> None:
    """Commands that are written down to be run: by `find` on what it finds, and under another name."""
    if program == "find":
        _executed(rest, command, script, depth)
    elif program == "alias":
        for word in rest:
            parse(word.partition("=")[2], script, depth + 1)


def _writes(program: str, rest: "list[str]", command: Command, found: "set[str]", script: Script) -> None:
    """The files that a program changes, as far as its words say."""
    if program == "apply_patch":
        for text in [*rest, *command.bodies]:
            script.writes.update(dict.fromkeys(patched(text)))
    elif found & {"write", "delete", "wipe"}:
        for word in rest:
            if not word.startswith(("-", "+")):
                _write(word.removeprefix("of="), script)
    elif program in FETCHING:
        for at, word in enumerate(rest[:-1]):
            if word in ("-o", "--output", "-O", "--output-document"):
                _write(rest[at + 1], script)


def _code(
    program: str, rest: "list[str]", command: Command, script: Script, depth: int, pipe: "list[Command]"
) -> "set[str]":
    """What is given to an interpreter. Shell is taken apart too; of other languages only the obvious is seen."""
    found: set[str] = set()
    if any(_fetches(nested) for nested in command.nested):
        found.add("run_download")
    code, reads_input = code_of(program, rest)
    for text in [*code, *(command.bodies if reads_input else [])]:
        if program in SHELLS | BUILT_IN:
            parse(text, script, depth + 1)
            continue
        found |= {"delete"} if removes(text) else set()
        handed = parse(handed_on(text), depth=depth + 1).intents
        found |= {name for name in handed if INTENTS[name].risk >= RISKY and name != "unreadable"}
    if reads_input and pipe and not command.bodies:
        found |= _piped_code(program, script, depth, pipe)
    return found


def _piped_code(program: str, script: Script, depth: int, pipe: "list[Command]") -> "set[str]":
    """What an interpreter is handed by the commands before it."""
    first, last = ([*each.words, ""][0] for each in (pipe[0], pipe[-1]))
    if _fetches(pipe) or (last in CLOSING and FETCHING & set(script.programs)):
        return {"run_download"}
    if program not in SHELLS | BUILT_IN:
        return set()
    bodies = pipe[0].bodies if base(first) == "cat" else [" ".join(printed(pipe[0].words))]
    if len(pipe) > 1 or not (base(first) in PRINTING or pipe[0].bodies):
        return {"unreadable"}
    for body in bodies:
        parse(body, script, depth + 1)
    return set()


def _wrapped(
    program: str, rest: "list[str]", command: Command, script: Script, depth: int, pipe: "list[Command]"
) -> None:
    """The command that a program runs which is among its words: `flock FILE rm x`, `docker exec BOX rm x`. Where it
    begins nobody can tell, so each word counts that may be one."""
    if program == "ssh":
        parse(behind_host(rest), script, depth + 1)
        return
    verb = next((word for word in rest if not word.startswith("-")), "")
    if program in RUNNERS and verb not in RUNNERS[program]:
        return
    if program in CONTAINERS and not {"exec", "run", "debug"} & set(rest):
        return
    for at, word in enumerate(rest[:WRAPPED]):
        if at and rest[at - 1] in ("-c", "--command"):
            parse(word, script, depth + 1)
        elif word == "--" and rest[at + 1 :]:
            _run(rest[at + 1 :], command, script, depth + 1, pipe)
            return
        elif _may_run(program, word) and not script.full():
            script.commands += GUESSED
            _run(rest[at:], command, script, depth + 1, pipe)


def _may_run(program: str, word: str) -> bool:
    """Whether a word of a program may be a command that it runs."""
    name = base(word)
    if word in (".", ":", "[", "test") or word in RUNNERS.get(program, ()):
        return False
    return is_known(name) if program in WRAPPERS | CONTAINERS | RUNNERS.keys() else name in SHELLS or name in _BREAKING


_BREAKING = frozenset(("sudo", "doas", "su", "rm", "dd", "shred"))


def _executed(rest: "list[str]", command: Command, script: Script, depth: int) -> None:
    """What `find` runs on what it finds."""
    behind: list[str] | None = None
    for word in [*rest, ";"]:
        if behind is None:
            behind = [] if word in ("-exec", "-execdir", "-ok", "-okdir") else None
        elif word in (";", "+"):
            inner = behind_prefixes(behind, script.intents, script.programs)
            if inner.words:
                _run(inner.words, command, script, depth + 1, [])
            behind = None
        else:
            behind.append(word)


def _fetches(commands: "list[Command]") -> bool:
    """Whether what these print may come from elsewhere."""
    for command in commands:
        words = behind_prefixes(_behind_grammar(command.words[:MOST]), set(), []).words
        if (words and base(words[0]) in FETCHING) or any(map(_fetches, command.nested)):
            return True
    return False


def _handed(pipe: "list[Command]") -> "list[str]":
    """The words that the command before hands on, when it only prints."""
    return printed(pipe[-1].words) if pipe else []


def _redirect(operator: str, target: str, script: Script) -> None:
    if target.startswith(("/dev/tcp/", "/dev/udp/")):
        script.intents.add("remote_shell")
    if ">" in operator and not (operator in (">&", "&>") and target.isdigit()) and target != "-":
        _write(target, script)
    elif operator == "<":
        _words([target], script)


def _write(target: str, script: Script) -> None:
    if target.startswith(DEVICES):
        script.intents.add("destroy_disk")
    if target and not holds_secret(target):
        script.writes[target] = None


def _words(words: "list[str]", script: Script) -> None:
    """Words that may be paths; none with blanks in it is one, no address, and no secret, which is nobody's business."""
    for word in words:
        if script.full():
            return
        text = word[7:] if word.startswith("file://") else word
        if "://" in text or any(sign in text for sign in " \t\n") or len(text) > 4096 or holds_secret(text):
            continue
        script.words[text.split("=", 1)[-1].lstrip("@")] = None
