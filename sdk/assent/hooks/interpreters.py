"""What an interpreter is given to run: code among its words, or from its input. Pure, and only the obvious is seen."""

import re

from assent.hooks.commands import CODE, SHELLS, base
from assent.hooks.reading import SUBSTITUTED

PRINTING = ("echo", "printf")
SCRIPTED = CODE | {"awk", "gawk", "mawk"}
_REMOVING = r"rmtree|\bos\.remove|unlink|rmSync|rm_rf|rmdir|remove_tree|File\.delete"
_SPAWNING = r"(?i)system|subprocess|popen|spawn|exec|child_process|`|%x|shell"
_STRING = r"'([^']*)'|\"([^\"]*)\"|`([^`]*)`"


def given(program: str, rest: "list[str]") -> "tuple[list[str], bool]":
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
