"""A line of shell, read as a POSIX shell reads it, into commands; nothing is expanded and nothing is run.

Quotes, escapes, comments, line continuations, here-documents, substitutions and redirections are what a shell takes
them for. Each sign is looked at once, so that a long line takes as long as it is, whatever is in it. What does not end,
or nests deeper than people write, makes the line `broken`: then nobody knows what it does.
"""

import re

DEEPEST = 12
SUBSTITUTED = "$()"
"""Stands in a word for what a command would put there."""
_PLAIN = re.compile(r"[^\\'\"`$ \t\r\n;|&()<>]+")
_IN_QUOTES = re.compile(r"[^\"\\$`]+")
_OPERATOR = re.compile(r"&>>|&>|&&|\|\||\|&|;;&|;;|;&|\(\(|<<<|<<-|<<|<>|<&|>>|>&|>\||[;|&()<>]")
_ESCAPE = r"(?s)\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|[0-7]{1,3}|.)"
_BACK = r"\\([$`\\])"
_WORD_ENDS = " \t\r\n;|&()<>"
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}


class Command:
    """One command. `operator` stands before it; `bodies` are its here-documents and here-strings, `redirects` its
    redirections as operator and target; `nested` are the commands whose output or input it takes within its words."""

    __slots__ = ("bodies", "nested", "operator", "redirects", "words")

    def __init__(self, operator: str) -> None:
        self.operator = operator
        self.words: list[str] = []
        self.bodies: list[str] = []
        self.redirects: list[tuple[str, str]] = []
        self.nested: list[list[Command]] = []

    @property
    def empty(self) -> bool:
        return not (self.words or self.redirects or self.nested or self.bodies)


class _HereDocument:
    __slots__ = ("command", "end", "expands", "tabs")

    def __init__(self, command: Command, end: str, tabs: bool, expands: bool) -> None:
        self.command, self.end, self.tabs, self.expands = command, end, tabs, expands


class Reader:
    """Reads one text. `broken` says that it cannot be understood to its end; `awaited` are here-documents whose
    bodies come after the line that is being read."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.text, self.at, self.depth, self.broken = text, 0, depth, False
        self.awaited: list[_HereDocument] = []

    def commands(self, end: str = "", within: str = "") -> list[Command]:
        """The commands up to the sign `end`, or to the end of the text; `within` is a bracket that is open already."""
        found: list[Command] = []
        now = Command(within)
        open_groups, open_cases = int(bool(within)), 0
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign in " \t\r":
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif sign == "\n":
                self.at += 1
                self._here_documents()
                now = _next(found, now, ";")
            elif sign == "#":
                to = self.text.find("\n", self.at)
                self.at = len(self.text) if to < 0 else to
            elif sign == end and not open_groups and not open_cases:
                self.at += 1
                _next(found, now, "")
                return found
            elif sign in "<>" and self.text.startswith("(", self.at + 1):
                self.at += 2
                now.words.append(self._substituted(now))
            elif sign in ";|&()<>":
                operator = self._operator()
                if "<" in operator or ">" in operator:
                    self._redirect(operator, now)
                    continue
                open_groups += operator.count("(")
                open_groups -= operator == ")" and open_groups > 0
                now = _next(found, now, operator)
            else:
                begins, word = not now.words, self._word(now)
                if word is None:
                    continue
                open_cases += begins and word == "case"
                open_cases -= begins and word == "esac" and open_cases > 0
                now.words.append(word)
        self.broken = self.broken or bool(end or self.awaited or open_groups)
        _next(found, now, "")
        return found

    def _operator(self) -> str:
        match = _OPERATOR.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return match[0]

    def _redirect(self, operator: str, now: Command) -> None:
        began = self.at - len(operator)
        if now.words and now.words[-1].isdigit() and self.text[began - 1 : began].isdigit():
            now.words.pop()  # `2>`: the number of a stream, and no word
        while self.at < len(self.text) and (self.text[self.at] in " \t" or self.text.startswith("\\\n", self.at)):
            self.at += 1 if self.text[self.at] in " \t" else 2
        if self.text.startswith(("<(", ">("), self.at):
            self.at += 2
            self._substituted(now)
            return
        raw = self.at
        word = self._word(now)
        if word is None:
            self.broken = True
        elif operator in ("<<", "<<-"):
            quoted = any(sign in self.text[raw : self.at] for sign in "'\"\\")
            self.awaited.append(_HereDocument(now, word, operator == "<<-", not quoted))
        elif operator == "<<<":
            now.bodies.append(word)
        else:
            now.redirects.append((operator, word))

    def _here_documents(self) -> None:
        """Their bodies begin after the line that asks for them."""
        for each in self.awaited:
            lines: list[str] = []
            while True:
                if self.at >= len(self.text):
                    self.broken = True
                    break
                to = self.text.find("\n", self.at)
                to = len(self.text) if to < 0 else to
                line, self.at = self.text[self.at : to], to + 1
                if (line.lstrip("\t") if each.tabs else line) == each.end:
                    break
                lines.append(line)
            body = "\n".join(lines)
            each.command.bodies.append(body)
            if each.expands and ("$" in body or "`" in body):
                inside = Reader(body, self.depth)
                inside.quoted(each.command, "")
                self.broken = self.broken or inside.broken
        self.awaited = []

    def _word(self, now: Command) -> "str | None":
        """One word without its quotes; None where there is none."""
        parts: list[str] = []
        is_word = False
        while self.at < len(self.text) and self.text[self.at] not in _WORD_ENDS:
            sign = self.text[self.at]
            if sign == "\\" and self.text.startswith("\n", self.at + 1):
                self.at += 2
                continue
            is_word = True
            if sign == "\\":
                parts.append(self.text[self.at + 1 : self.at + 2])
                self.at += 2
            elif sign == "'":
                parts.append(self._until("'"))
            elif sign == '"':
                self.at += 1
                parts.extend(self.quoted(now, '"'))
            elif sign in "$`":
                parts.append(self._expansion(now))
            else:
                match = _PLAIN.match(self.text, self.at)
                assert match is not None
                parts.append(match[0])
                self.at = match.end()
        return "".join(parts) if is_word else None

    def quoted(self, now: Command, end: str) -> list[str]:
        """What stands in double quotes, or in a here-document, where nothing ends it."""
        parts: list[str] = []
        while self.at < len(self.text):
            sign = self.text[self.at]
            if end and sign == end:
                self.at += 1
                return parts
            if sign == "\\":
                behind = self.text[self.at + 1 : self.at + 2]
                parts.append({"\n": ""}.get(behind, behind) if behind in '$`"\\\n' else sign + behind)
                self.at += 2
            elif sign in "$`":
                parts.append(self._expansion(now))
            elif sign == '"':
                parts.append(sign)
                self.at += 1
            else:
                match = _IN_QUOTES.match(self.text, self.at)
                assert match is not None
                parts.append(match[0])
                self.at = match.end()
        self.broken = self.broken or bool(end)
        return parts

    def _expansion(self, now: Command) -> str:
        """What begins with `$` or a backtick."""
        if self.text[self.at] == "`":
            inside = Reader(re.sub(_BACK, r"\1", self._until("`", escapes=True)), self.depth + 1)
            self._keep(now, inside, "")
            return SUBSTITUTED
        behind = self.text[self.at + 1 : self.at + 2]
        if behind == "(":
            self.at += 2
            return self._substituted(now)
        if behind == "{":
            return self._parameter(now)
        if behind == "'":
            self.at += 1
            return re.sub(_ESCAPE, _unescaped, self._until("'", escapes=True))
        self.at += 1
        return "$"

    def _parameter(self, now: Command) -> str:
        """`${...}`, whose default may run commands."""
        began = self.at
        self.at += 2
        self.depth += 1
        while self.at < len(self.text) and self.depth <= DEEPEST:
            sign = self.text[self.at]
            if sign == "}":
                self.at += 1
                self.depth -= 1
                return self.text[began : self.at]
            if sign == "'":
                self._until("'")
            elif sign in "$`":
                self._expansion(now)
            else:
                self.at += 2 if sign == "\\" else 1
        self.broken, self.at = True, len(self.text)
        return "$"

    def _substituted(self, now: Command) -> str:
        """The commands up to the closing bracket."""
        within = "((" if self.text.startswith("((", self.at - 1) else ""
        self.at += bool(within)
        self._keep(now, self, ")", within)
        return SUBSTITUTED

    def _keep(self, now: Command, inside: "Reader", end: str, within: str = "") -> None:
        inside.depth += 1
        if inside.depth > DEEPEST:
            self.broken, inside.at = True, len(inside.text)
            return
        awaited, inside.awaited = inside.awaited, []
        now.nested.append(inside.commands(end, within))
        inside.broken = inside.broken or bool(inside.awaited)
        inside.awaited = awaited
        inside.depth -= 1
        self.broken = self.broken or inside.broken

    def _until(self, end: str, *, escapes: bool = False) -> str:
        """The text between the sign here and the next `end`."""
        began = self.at + 1
        to = self.text.find(end, began)
        while escapes and to > 0 and _is_escaped(self.text, to, began):
            to = self.text.find(end, to + 1)
        if to < 0:
            self.broken = True
            to = len(self.text)
        self.at = to + 1
        return self.text[began:to]


def read(text: str) -> "tuple[list[Command], bool]":
    """The commands, and whether the text could be read to its end."""
    reader = Reader(text)
    commands = reader.commands()
    return commands, not reader.broken


def _next(found: list[Command], now: Command, operator: str) -> Command:
    if not now.empty:
        found.append(now)
    elif now.operator in ("|", "|&") and operator in (";", "("):
        operator = now.operator  # what is piped goes on in the next line, or into a group
    return Command(operator)


def _is_escaped(text: str, at: int, began: int) -> bool:
    slashes = 0
    while at - slashes > began and text[at - slashes - 1] == "\\":
        slashes += 1
    return slashes % 2 == 1


def _unescaped(match: "re.Match[str]") -> str:
    said = match[1]
    if said[0] in "xu" and len(said) > 1:
        return chr(int(said[1:], 16))
    if said[0] in "01234567":
        return chr(int(said, 8) % 256)
    return _ESCAPED.get(said, said)
