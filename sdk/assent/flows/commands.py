"""Whether a shell line does nothing but read on this machine: `ls -la src | head -20` does, `rm -rf build` does not.

A line is known by a list of programs and of each one's options, and what is not understood is a command like any other.
Nobody knows how a tool runs its line, so it must be harmless in each of three readings:

1. A POSIX shell's (sh, bash, dash, zsh): each command between `|`, `&&`, `||` and `;` is one of `PROGRAMS`, by its bare
   name, with options of that program written out in full. Nothing is expanded but `*` and `?` behind a letter or a
   slash, and `~/`; of redirections there are `2>/dev/null` and `2>&1`.
2. Without a shell, split as a shell would: then all words are the first program's, `|` and what stands behind it as
   well. `find . | ls -ok` would run something there, and `sort a | grep -o b` would write to `b`.
3. Without a shell, split at spaces, so that quotes are letters and what stands in them is words.

In quotes there is no sign that would begin another command if they were lost. What leads out of the files is refused:
devices and what the kernel shows (`/dev`, `/proc`, `/sys`), and folders whose look-up asks the network (`/net`,
`//host`).

What else a call is given must be known as well (`is_quiet`): where it runs, how long it may take, and why.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from shlex import join
from typing import Literal, NamedTuple, TypeAlias

from assent.flows.pack import Words, split_name

_Value: TypeAlias = Literal["none", "next", "joined"]
"""Whether a long option has a value: no, in the same word or the next one, in the same word if at all."""

LONGEST_LINE = 2_000


class Program(NamedTuple):
    """What a program may be given. `flags` are letters of options without a value, `valued` of those with one. `risky`
    are words with which it does more than read, wherever they stand among those of other programs; None where there
    are none. `opens` is whether it reads what is in the files below a folder. `dash` stands before a long option."""

    flags: str = ""
    valued: str = ""
    longs: Mapping[str, _Value] = {}
    digits: bool = False
    risky: re.Pattern[str] | None = None
    opens: bool = False
    dash: str = "--"


def _longs(text: str) -> dict[str, _Value]:
    """`name`, `name=` with a value, `name=?` with one that may be left away."""
    found: dict[str, _Value] = {}
    for each in text.split():
        name, equals, perhaps = each.partition("=")
        found[name] = "joined" if perhaps else "next" if equals else "none"
    return found


def _risky(letters: str, longs: str = "", others: str = "") -> re.Pattern[str]:
    """Bundles with one of these letters, long options with such a beginning, and others."""
    found = [rf"-(?!-).*[{letters}].*"] if letters else []
    found += [rf"--(?:{longs}).*"] if longs else []
    return re.compile("|".join([*found, others] if others else found))


_SUMS = Program("btz", longs=_longs("binary text tag zero"), risky=_risky("c", "c"))
_GREP = Program(
    "abcEFGPHhIiLlnoqRrsTUvwxyZz",
    "ABCem",
    _longs(
        """extended-regexp fixed-strings basic-regexp perl-regexp regexp= ignore-case no-ignore-case word-regexp
        line-regexp null-data no-messages invert-match max-count= byte-offset line-number line-buffered with-filename
        no-filename only-matching quiet silent text recursive dereference-recursive include= exclude= exclude-dir=
        files-without-match files-with-matches count initial-tab null before-context= after-context= context= color=?
        colour=? binary"""
    ),
    digits=True,
    opens=True,
)
PROGRAMS: Mapping[str, Program] = {
    "basename": Program("az", "s", _longs("multiple suffix= zero")),
    "cat": Program(
        "AbeEnstTuv",
        longs=_longs("number number-nonblank show-all show-ends show-tabs show-nonprinting squeeze-blank"),
    ),
    "cmp": Program("bls", "in", _longs("print-bytes verbose silent quiet bytes= ignore-initial=")),
    "comm": Program("123iz", longs=_longs("check-order nocheck-order output-delimiter=? total zero-terminated")),
    "cut": Program(
        "snz",
        "bcdf",
        _longs("bytes= characters= delimiter= fields= only-delimited complement output-delimiter= zero-terminated"),
    ),
    "date": Program("uIR", longs=_longs("utc universal iso-8601=? rfc-3339=? rfc-email"), risky=_risky("fsvz", "s")),
    "df": Program(
        "ahHiklPT",
        "txB",
        _longs("all human-readable si inodes local portability print-type total type= exclude-type= block-size="),
        risky=_risky("", "sy"),
    ),
    "diff": Program(
        "abBcdeEinNpqrstTuwyZ",
        "CFILUWx",
        _longs(
            """unified=? context=? brief recursive new-file ignore-case ignore-all-space ignore-space-change
            ignore-blank-lines ignore-trailing-space ignore-tab-expansion side-by-side color=? exclude= width= text
            minimal report-identical-files suppress-common-lines strip-trailing-cr expand-tabs label= show-c-function"""
        ),
        risky=_risky("l", "p"),
        opens=True,
    ),
    "dirname": Program("z", longs=_longs("zero")),
    "du": Program(
        "abcDhHkLlmPsSx0",
        "dtB",
        _longs(
            """all apparent-size human-readable summarize total max-depth= threshold= exclude= one-file-system si bytes
            dereference separate-dirs count-links block-size= null"""
        ),
        risky=_risky("", "f"),
    ),
    "echo": Program(),
    "egrep": _GREP,
    "fgrep": _GREP,
    "file": Program(
        "bihkLN",
        longs=_longs("brief mime mime-type mime-encoding dereference no-dereference keep-going no-pad"),
        risky=_risky("CcfmpsSzZ", "c|f|ma|p|s|u"),
    ),
    "find": Program(
        longs=_longs(
            """amin= anewer= atime= cmin= cnewer= ctime= fstype= gid= group= ilname= iname= inum= ipath= iregex=
            iwholename= links= lname= maxdepth= mindepth= mmin= mtime= name= newer= path= perm= printf= regex=
            regextype= samefile= size= type= uid= user= wholename= xtype=
            a and daystart depth empty executable false follow ignore_readdir_race ls mount nogroup
            noignore_readdir_race noleaf not nouser o or print print0 prune quit readable true writable xdev"""
        ),
        risky=_risky("", "", "-(?:exec(?!utable$)|ok|delete|fprint|fls|n?cpio|files).*"),
        dash="-",
    ),
    "grep": _GREP,
    "head": Program("qvz", "nc", _longs("lines= bytes= quiet silent verbose zero-terminated"), digits=True),
    "id": Program("Ggnruz", longs=_longs("group groups name real user zero")),
    "ls": Program(
        "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1",
        "I",
        _longs(
            """all almost-all author escape block-size= ignore-backups color=? directory classify=? file-type format=
            full-time no-group human-readable si dereference dereference-command-line hide= indicator-style= inode
            ignore= kibibytes numeric-uid-gid literal hide-control-chars quote-name quoting-style= reverse recursive
            size sort= time= time-style= group-directories-first width= zero"""
        ),
    ),
    "md5sum": _SUMS,
    "nl": Program("p", "bdfhilnsvw"),
    "printf": Program(),
    "pwd": Program("LP", longs=_longs("logical physical")),
    "realpath": Program(
        "eLmPqsz",
        longs=_longs(
            """canonicalize-existing canonicalize-missing logical physical quiet relative-to= relative-base= strip
            no-symlinks zero"""
        ),
    ),
    "rev": Program(),
    "rg": Program(
        "0acFhHIiLlnNopPqsSUuvwx",
        "ABCegjmrTt",
        _longs(
            """after-context= before-context= context= regexp= glob= iglob= glob-case-insensitive type= type-not=
            type-list max-count= max-depth= max-filesize= max-columns= replace= sort= sortr= color= threads= files
            hidden no-ignore no-ignore-vcs line-number no-line-number heading no-heading ignore-case smart-case
            case-sensitive fixed-strings word-regexp line-regexp invert-match count count-matches files-with-matches
            files-without-match only-matching multiline multiline-dotall stats trim vimgrep json column no-filename
            with-filename pcre2 text no-messages follow null pretty quiet one-file-system"""
        ),
        risky=_risky("z", "pre(?!tty)|pr(?:=|$)|ho|se"),
        opens=True,
    ),
    "sha256sum": _SUMS,
    "sort": Program(
        "bcCdfghiMmnRrsuVz",
        "kt",
        _longs(
            """ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort
            human-numeric-sort numeric-sort random-sort reverse version-sort check=? debug key= merge stable
            field-separator= unique zero-terminated"""
        ),
        risky=_risky("oST", "o|co|t|fil", r"/[oOtT]\w*"),
    ),
    "stat": Program("fLt", "c", _longs("dereference file-system format= printf= terse")),
    "tac": Program("br", "s", _longs("before regex separator=")),
    "tail": Program(
        "qvz",
        "cn",
        _longs("lines= bytes= quiet silent verbose zero-terminated"),
        digits=True,
        risky=_risky("fFr", "f|p|r", r"\+.*\D.*"),
    ),
    "tr": Program("cCdst", longs=_longs("complement delete squeeze-repeats truncate-set1")),
    "true": Program(),
    "uname": Program(
        "aimnoprsv",
        longs=_longs(
            """all kernel-name nodename kernel-release kernel-version machine processor hardware-platform
            operating-system"""
        ),
        risky=_risky("S"),
    ),
    "uniq": Program(
        "cdDiuz",
        "fsw",
        _longs("count repeated unique ignore-case skip-fields= skip-chars= check-chars= zero-terminated"),
    ),
    "wc": Program("clLmw", longs=_longs("bytes chars lines words max-line-length"), risky=_risky("", "f")),
    "which": Program("as"),
    "whoami": Program(),
}
"""By their names. Options that only some systems have are harmless there, or are not in the list."""

_NEWER = re.compile(r"-newer[aBcm][aBcmt]")
_FIRST_OF_FIND = frozenset(["-H", "-L", "-P"])

_QUOTED = r" \w./:,+@%=~*?^#(){}\[\]"
_TOKEN = re.compile(
    r" *(?:(?P<sign>\|\|?|&&|;|2>/dev/null|2>&1)"
    rf"|(?P<word>(?:[\w./:,+@%=~*?-]|'[{_QUOTED}\"-]*'|\"[{_QUOTED}'-]*\")+))(?= |\Z|;)",
    re.ASCII,
)
_PART = re.compile("'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\"|(?P<plain>[^'\"]+)")
_GLOB = re.compile(r"[*?]")
_QUOTE = re.compile("['\"]")
_DISCARDED = frozenset(["2>/dev/null", "2>&1"])
_NUMBER = re.compile(r"[+-]?\d+[A-Za-z]?", re.ASCII)
_SORT_VALUES = {
    "k": re.compile(r"[\d.,bdfgihMnrRV]+", re.ASCII),
    "t": re.compile(r"."),
}
_DEVICES = ("dev", "proc", "sys")
_ELSEWHERE = (*_DEVICES, "net", "afs", "network")
"""Folders at the root, in small letters."""
_FOLDER = re.compile(r"[\w ./:,+@%=~-]{1,1000}", re.ASCII)


_PLAIN_NAME = re.compile(r"[\w.:@-]*")
_SHELLS = frozenset(["sh", "bash", "zsh", "dash", "/bin/sh", "/bin/bash"])


class _Word(NamedTuple):
    """`value` is without quotes; `globs` is whether a shell expands it to names of files."""

    value: str
    globs: bool


def only_reads(line: str, folders: Sequence[str] = ()) -> bool:
    """Whether a line does nothing but read, for certain; `folders` are those that it may run in, where that is said."""
    line = line.strip(" ")
    if not line or len(line) > LONGEST_LINE or not line.isascii() or not line.isprintable():
        return False
    pieces = line.split(" ")
    if pieces[0] not in PROGRAMS:
        return False
    commands: list[list[_Word]] = [[]]
    words: list[str] = []
    at = 0
    while at < len(line):
        found = _TOKEN.match(line, at)
        if found is None:
            return False
        at, sign = found.end(), found["sign"]
        if sign is None:
            word = _word(found["word"])
            if word is None:
                return False
            commands[-1].append(word)
            words.append(word.value)
            continue
        words.append(sign)
        if sign not in _DISCARDED:
            commands.append([])
    if not all(map(_reads, commands)):
        return False
    if any(PROGRAMS[each[0].value].opens for each in commands):
        places = folders or ("",)
        if any(_is_root(each, place) for each in (*words, *pieces) for place in places):
            return False
    return _reads_as_words(words) and (pieces == words or (_reads_as_words(pieces) and all(map(_is_near, pieces))))


def acts(value: object, *, named: bool = True) -> bool:
    """Whether a command does more than read. `named` is whether one word may be the name of a command that somebody
    asks about; a path is none."""
    if not isinstance(value, str) or not value.strip():
        return False
    return not (named and _PLAIN_NAME.fullmatch(value)) and not only_reads(value)


def shell_line(value: object) -> str | None:
    """The line that a shell is given, also word by word, or for a shell that is named: `["bash", "-c", line]`."""
    if isinstance(value, (list, tuple)) and len(value) > 1:
        words = [each for each in value if type(each) is str]
        if len(words) != len(value):
            return None
        return words[2] if len(words) == 3 and words[0] in _SHELLS and words[1] in ("-c", "-lc") else join(words)
    return value if type(value) is str else None


def _word(text: str) -> _Word | None:
    """None for one that a shell may expand to options, to a home of somebody else, or to a program's place."""
    if text[0] == "=":
        return None
    value, first_glob = "", -1
    for part in _PART.finditer(text):
        plain = part["plain"]
        if plain is None:
            value += part["single"] or part["double"] or ""
            continue
        glob = _GLOB.search(plain)
        if glob is not None and first_glob < 0:
            first_glob = len(value) + glob.start()
        if "~" in plain and not (part.start() == 0 and (text == "~" or _is_home(plain))):
            return None
        value += plain
    if first_glob == 0 or (first_glob > 0 and value[0] == "-" and not _names_option(value, first_glob)):
        return None
    return _Word(value, first_glob > 0) if _is_near(value, globs=first_glob > 0) else None


def _is_home(text: str) -> bool:
    return text.startswith("~/") and text.count("~") == 1


def _names_option(value: str, first_glob: int) -> bool:
    """Whether it says which long option it is before its first glob, so that each file of such a name is this one."""
    return value.startswith("--") and 0 < value.find("=") < first_glob


def _is_near(value: str, *, globs: bool = False) -> bool:
    """Whether no device and no other machine is read at it, wherever the shell is."""
    value = _QUOTE.sub("", value).lower()
    if value.startswith("-"):
        parts = re.split("[/=,:]", value)
        return not ("/" in value and any(_may_be(each, _ELSEWHERE, globs=globs) for each in parts[1:]))
    if "/" not in value:
        return True
    parts = [each for each in value.split("/") if each not in ("", ".")]
    if ".." in parts:
        if value[0] in "/~":
            return False
        return not any(_may_be(each, _ELSEWHERE, globs=globs) for each in parts)
    if value.startswith("/"):
        return not value.startswith("//") and not (parts and _may_be(parts[0], _ELSEWHERE, globs=globs))
    # What lies at home is at the root where that is the home.
    return not any(_may_be(each, _DEVICES, globs=globs) for each in parts[parts[:1] == ["~"] :][:1])


def _may_be(part: str, names: Sequence[str], *, globs: bool) -> bool:
    return any(fnmatchcase(each, part) for each in names) if globs else part in names


def _is_root(value: str, folder: str = "") -> bool:
    """Whether all there is may stand below it, devices as well: its path leads to the root from this folder, or up by
    two steps or more from one that nobody knows, or that is a link."""
    path = _QUOTE.sub("", value)
    steps = _steps(path)
    if path.startswith("/"):
        return not steps
    if len(steps) > 1 and all(each == ".." for each in steps):
        return True
    return folder.startswith(("/", "~")) and all(each == ".." for each in _steps(f"{folder}/{path}"))


def _steps(path: str) -> list[str]:
    """Those that a path leads through in the end, without looking whether one of them is a link."""
    found = list[str]()
    for each in path.split("/"):
        if each == ".." and found and found[-1] != "..":
            found.pop()
        elif each not in ("", "."):
            found.append(each)
    return found


def _reads(command: Sequence[_Word]) -> bool:
    """By the first reading: a program and what it is given."""
    program = PROGRAMS.get(command[0].value) if command else None
    if program is None or command[0].globs:
        return False
    name, words = command[0].value, [each.value for each in command[1:]]
    globs = any(each.globs for each in command[1:])
    if name == "echo":
        return True
    if name == "find":
        return _finds(words)
    operands = _operands(program, words, name)
    if operands is None:
        return False
    match name:
        case "uniq":
            # The second one is written.
            return len(operands) <= 1 and not globs
        case "printf":
            return not globs and bool(operands) and _prints(operands[0])
        case "date":
            return len(operands) <= 1 and not globs and all(each.startswith("+") for each in operands)
        case "tail":
            return not any(each.startswith("+") for each in operands)
        case _:
            return True


def _prints(form: str) -> bool:
    """Whether texts alone are put into it: other signs calculate, or set a variable."""
    return set(re.findall("%(.?)", form)) <= {"s", "%"}


def _operands(program: Program, words: Sequence[str], name: str) -> list[str] | None:
    """What is no option; None where an option is not known."""
    found = list[str]()
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            return [*found, *words[at:]]
        if not word.startswith("-") or word == "-":
            found.append(word)
        elif word.startswith("--"):
            at = _behind_long(program, words, at, name)
        elif not (program.digits and word[1:].isdecimal()):
            at = _behind_letters(program, words, at, name)
        if at < 0:
            return None
    return found


def _behind_long(program: Program, words: Sequence[str], at: int, name: str) -> int:
    """Where the words go on behind the long option before `at` and its value; -1 where it is not known."""
    option, equals, value = words[at - 1][2:].partition("=")
    kind = program.longs.get(option)
    if kind == "none":
        return -1 if equals else at
    if kind == "joined":
        return at
    letter = {"key": "k", "field-separator": "t"}.get(option, "")
    if kind is None or not equals:
        return -1 if kind is None else _behind_value(words, at, name, letter)
    return at if _fits(name, letter, value) else -1


def _behind_letters(program: Program, words: Sequence[str], at: int, name: str) -> int:
    """The same of options of one letter, of which the last one may have a value."""
    bundle = words[at - 1]
    for place, letter in enumerate(bundle[1:], 2):
        if letter in program.valued:
            if place == len(bundle):
                return _behind_value(words, at, name, letter)
            return at if _fits(name, letter, bundle[place:]) else -1
        if letter not in program.flags:
            return -1
    return at


def _behind_value(words: Sequence[str], at: int, name: str, letter: str) -> int:
    """A value in a word of its own does not look like an option."""
    if at >= len(words) or (words[at].startswith("-") and not _NUMBER.fullmatch(words[at])):
        return -1
    return at + 1 if _fits(name, letter, words[at]) else -1


def _fits(name: str, letter: str, value: str) -> bool:
    form = _SORT_VALUES.get(letter) if name == "sort" else None
    return form is None or form.fullmatch(value) is not None


def _finds(words: Sequence[str]) -> bool:
    """Whether `find` only looks."""
    at = 0
    while at < len(words) and (words[at] in _FIRST_OF_FIND or words[at][:1] not in ("-", "(", ")", ",", "!")):
        at += 1
    known = PROGRAMS["find"].longs
    while at < len(words):
        word, at = words[at], at + 1
        if word in ("(", ")"):
            continue
        kind = "next" if _NEWER.fullmatch(word) else known.get(word[1:]) if word.startswith("-") else None
        if kind == "next":
            at = _behind_value(words, at, "find", "")
        if kind is None or at < 0:
            return False
    return True


def _reads_as_words(words: Sequence[str]) -> bool:
    """By the other readings: all words are the first program's."""
    program = PROGRAMS.get(words[0])
    if program is None:
        return False
    if words[0] == "uniq":
        operands = _operands(program, words[1:], "uniq")
        return operands is not None and len(operands) <= 1
    return program.risky is None or not any(map(program.risky.fullmatch, words[1:]))


def is_folder_name(name: str, words: Words) -> bool:
    """Whether an argument of this name says where a line runs."""
    return name.isascii() and "_".join(split_name(name)) in words.line_folders


def is_quiet(name: str, value: object, words: Words) -> bool:
    """Whether another argument of a call with such a line changes nothing of what the line does."""
    if value is None or value is False or (isinstance(value, (str, list, tuple, dict)) and not value):
        return True
    plain = "_".join(split_name(name)) if name.isascii() else ""
    if plain in words.line_bounds:
        return isinstance(value, (bool, int, float)) or (isinstance(value, str) and value.isdecimal())
    if not isinstance(value, str):
        return False
    if plain in words.line_reasons:
        return True
    return is_folder_name(name, words) and _is_folder(value)


def _is_folder(value: str) -> bool:
    if not _FOLDER.fullmatch(value) or value[0] in "-= " or ("~" in value and value != "~" and not _is_home(value)):
        return False
    return not _is_root(value) and _is_near(value + "/")
