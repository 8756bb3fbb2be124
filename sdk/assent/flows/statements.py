"""What a statement does that a tool is asked with or runs: a mutation of GraphQL sends, a statement of SQL writes or
destroys, and one of SQL may do nothing but ask.

A statement is known by the words that it begins with, wherever one may begin: at the start of a text or a line, behind
a semicolon, a bracket or a comment. That is true of what stands in its quotes as well, since databases do not agree on
where a quote ends. Where the name of the tool or of the argument says that it is SQL its first word is enough, and the
words of a whole statement wherever they stand (`IF 1=1 DROP TABLE users`), as some databases need nothing between two;
elsewhere the words behind it must be those of a statement, since `update my calendar` is one of nothing.

What a tool runs is a command (`is_run`): code, and in one that runs SQL or queries each query but these:

1. One of SQL that does nothing but ask, for certain (`only_asks`): a single `SELECT` (also behind `WITH` or `EXPLAIN`),
   `SHOW` or `DESCRIBE`, in letters, digits and signs of which all databases make the same, with functions of a list
   that only calculate, and without a word that begins another statement, writes a file or locks (`INTO`, `FOR`). So
   `SELECT promote('mallory')` is a command. What stands behind the name of a view, a type or an operator, or of a
   function without brackets, as Oracle has them, nobody here knows: whoever made it was allowed to.
2. Elsewhere than in SQL, plain words none of which is a verb that changes something: `top customers of May`.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from assent.flows.pack import SINKS, Pack, Runs, RunsWith, Words, split_name

Change: TypeAlias = Literal["write", "send", "destroy"]

_NAME = r"[\w.$@#\"`\[\]*-]{1,130}"
_USER = rf"(?:'[^'\n]{{1,130}}'(?:@'[^'\n]{{1,130}}')?|{_NAME})"
_TAIL = r"(?=\s*(?:\Z|[;)\n,]|--|/\*|\*/))"
_BEGINS = r"(?:\A|[;(){}\n\r]|\*/|/\*!\d{0,6})[^\S\n\r]*(?:explain\s+(?:analy[sz]e\s+|verbose\s+){0,2})?"
_DESTROYS = (
    rf"delete\s+(?:from\s+(?:only\s+)?{_NAME}(?:{_TAIL}|(?:\s+(?:as\s+)?\w+)?\s+(?:where|using|returning|limit|order)\b)"
    rf"|{_NAME}\s+from\s[^;]{{1,300}}?\b(?:join|where|using)\b)",
    rf"truncate\s+table\s+{_NAME}",
    r"drop\s+(?:(?:materialized|foreign|temporary|public|external)\s+)?(?:table|database|schema|index|view|user|role|"
    rf"trigger|function|procedure|sequence|type|column|extension|policy)\s+(?:concurrently\s+)?(?:if\s+exists\s+)?{_NAME}"
    r"(?:\s+(?:cascade|restrict))?" + _TAIL,
)
_WRITES = (
    rf"(?:insert|replace)\s+(?:(?:or\s+\w+|ignore|overwrite|into|low_priority|delayed|table)\s+){{0,4}}{_NAME}"
    r"\s*(?:\(|\b(?:values?|select|default|set|with|table|overriding|as)\b)",
    r"update\s[^;=]{1,120}?\sset\s[^;=]{1,120}=",
    rf"(?:merge|upsert)\s+into\s+{_NAME}\s",
    rf"alter\s+(?:table|database|schema|index|view|user|role|function|procedure|sequence|type|system|default|policy)\s+"
    rf"(?:if\s+exists\s+)?(?:only\s+)?{_NAME}\s",
    rf"create\s+(?:or\s+replace\s+)?(?:(?:global|local|temp|temporary|unlogged|external)\s+){{0,2}}"
    rf"table\s+(?:if\s+not\s+exists\s+)?{_NAME}\s*(?:\(|\b(?:as|like|using)\b)",
    r"create\s+(?:or\s+replace\s+)?(?:unique\s+|materialized\s+|temp\s+|temporary\s+){0,2}(?:user|role|view|index|"
    rf"function|procedure|trigger|database|schema|extension|policy)\s+(?:if\s+not\s+exists\s+)?{_NAME}"
    rf"(?:\s*\(|\s+(?:as|on|with|identified|password|login|superuser|before|after|in|role|for|returns)\b|{_TAIL})",
    rf"grant\s[^;]{{1,300}}?\sto\s+{_USER}(?:{_TAIL}|\s+(?:with|identified|granted)\b)",
    rf"revoke\s[^;]{{1,300}}?\sfrom\s+{_USER}(?:{_TAIL}|\s+(?:cascade|restrict|granted)\b)",
    rf"(?:call|exec|execute)\s+{_NAME}\s*\(",
    r"(?:exec|execute)\s*\(\s*[n@(]?['\w]",
    r"(?:exec|execute)\s+(?:immediate\s|(?:\w{1,60}\.){0,2}(?:xp|sp)_\w)",
    rf"copy\s+(?:{_NAME}|\()[^;]{{0,300}}?\s(?:from|to)\s+(?:'|program\b|stdin\b|stdout\b)",
    r"load\s+data\s",
    r"do\s+\$",
    r"attach\s+(?:database\s)?\s*'",
    r"set\s+(?:role|global|persist|session\s+authorization)\s",
    rf"select\s[^;]{{1,300}}?\binto\s+(?:outfile|dumpfile|{_NAME}\s+from)\b",
    r"(?:insert|update|merge|replace|alter|create|grant|revoke)(?:/\*|\s*--)",
)
_HIDDEN = r"(?:delete|drop|truncate)(?:\s*/\*|\s*--)"
"""A comment behind the first word: nobody asks a sentence so."""
_DESTROYING = re.compile(_BEGINS + "(?:" + "|".join((*_DESTROYS, _HIDDEN)) + ")", re.I)
_WRITING = re.compile(_BEGINS + "(?:" + "|".join(_WRITES) + ")", re.I)
_ANYWHERE = r"(?<![\w.$@#])"
_DESTROYING_SQL = re.compile(_ANYWHERE + "(?:" + "|".join(_DESTROYS).replace(_TAIL, "") + ")", re.I)
_WRITING_SQL = re.compile(_ANYWHERE + "(?:" + "|".join(_WRITES).replace(_TAIL, "") + ")", re.I)
_SQL = re.compile(
    _BEGINS + r"(?:(?P<destroys>delete|drop|truncate)|insert|update|merge|upsert|replace|alter|create|grant|revoke|"
    r"rename|exec|execute|call|copy|load|attach|vacuum|reindex|refresh|lock|comment|shutdown|kill|reassign|set|reset|deny|"
    r"purge|restore|install|discard|detach|pragma\s+\w+\s*=)(?:\b|(?<==))(?!\s*\()",
    re.I,
)
_MUTATION = re.compile(r"(?:\A|[}\n\r,\ufeff])[^\S\n\r]*mutation\b\s*(?:\w{1,200}\s*)?[({@#]")


def change_of(text: str, *, sql: bool) -> Change | None:
    """What a visible text changes; None for a question. `sql` is whether it is known to be SQL."""
    if _DESTROYING.search(text) or (sql and _DESTROYING_SQL.search(text)):
        return "destroy"
    if _WRITING.search(text) or (sql and _WRITING_SQL.search(text)):
        return "write"
    if _MUTATION.search(text) and "}" in text:
        return "send"
    found = _SQL.search(text) if sql else None
    if found is None:
        return None
    return "destroy" if found["destroys"] else "write"


LONGEST_QUERY = 20_000
_PLAIN = re.compile(r"[\t\n\r -~\u00c0-\u024f\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff]+")
_QUOTED = re.compile(r"'[^']*'|\"[^\"'`]*\"|`[^`'\"]*`")
_UNLIKE = re.compile(r"'{3}|\"{3}|\\|\[[^\]]*['\"`]")
"""Quotes and escapes of which databases make different things."""
_SIGNS = re.compile(r"--|/\*|\*/|:=|[;#@'\"`{}~^]|\$(?!\d)")
_ASKS = re.compile(r"\(*\s*(?:explain\s+(?:verbose\s+)?)?(?:select|with)\b|(?:show|describe|desc)\s", re.I)
_STANDS_FOR_QUOTED = "\0"
_SELECT_FROM = re.compile(r"\(*\s*(?:select|with)\b.*\bfrom\s*[\w(\0]", re.I | re.S)
_CALL = re.compile(rf"([\w.]+|{_STANDS_FOR_QUOTED})\s*\(")
_OTHER_WORD = re.compile(
    r"\b(?:into|outfile|dumpfile|procedure|for|nextval|insert|update|delete|merge|upsert|replace|drop|alter|create|"
    r"truncate|grant|revoke|deny|exec|execute|call|kill|shutdown|reconfigure|dbcc|backup|restore|bulk|waitfor|use|set|"
    r"declare|deallocate|begin|commit|rollback|save|revert|setuser|raiserror|print|add|disable|enable|send|receive|move|"
    r"get|checkpoint|writetext|updatetext|readtext|if|while|goto|return|throw|go)\b(?!\s*\()",
    re.I,
)
"""What a question does not have, or what begins another statement where nothing need stand between two."""
_ONE_WORD = re.compile(r"[\w+.-]*")
_PLAIN_WORDS = re.compile(r"[\w\s,.'?!%&-]*")
_SELECT = re.compile(r"\bselect\b", re.I)
_WORD = re.compile(r"[^\W\d_]+")
_PLACE = re.compile(r"[\w.-]{1,200}", re.ASCII)


def only_asks(query: str, words: Words, *, sql: bool) -> bool:
    """Whether a statement of SQL does nothing but ask, for certain. Where nothing says that it is `sql` it has to be a
    `SELECT ... FROM`: `show me all users` and `select mallory and promote him` may be said to a model."""
    text = query.strip()
    if len(text) > LONGEST_QUERY or not _PLAIN.fullmatch(text) or _UNLIKE.search(text):
        return False
    plain = _QUOTED.sub(_STANDS_FOR_QUOTED, text).removesuffix(";")
    if not plain.isascii() or _SIGNS.search(plain) or not _ASKS.match(plain) or _OTHER_WORD.search(plain):
        return False
    if not sql and not _SELECT_FROM.match(plain):
        return False
    return all(each.lower() in words.functions for each in _CALL.findall(plain)) and change_of(text, sql=True) is None


def is_beside_query(name: str, value: object, words: Words) -> bool:
    """Whether another argument of a call that only asks changes nothing of what the query does."""
    if value is None or value is False or (isinstance(value, (str, list, tuple, dict)) and not value):
        return True
    plain = "_".join(split_name(name)) if name.isascii() else ""
    if isinstance(value, (bool, int, float)):
        return plain in words.line_bounds or plain in words.asked_for or (plain in words.asked_at and value is not True)
    if not isinstance(value, str):
        return False
    if plain in words.line_reasons:
        return True
    if plain in words.line_bounds or plain in words.asked_for:
        return value.isdecimal()
    return plain in words.asked_at and _PLACE.fullmatch(value) is not None


def is_run(text: str, given: RunsWith, runs: Runs, pack: Pack) -> bool:
    """Whether a text is a command in a tool which `runs` something; `given` is what the argument's name says of it."""
    if not text.strip():
        return False
    if runs == given == "code":
        return True
    if given == "code" or (runs == "code" and not given):
        return not _ONE_WORD.fullmatch(text.strip())
    if given == "sql" or runs == "sql":
        return not only_asks(text, pack.words, sql=True)
    return runs == "queries" and not only_asks(text, pack.words, sql=False) and not _only_words(text, pack.words)


def _only_words(text: str, words: Words) -> bool:
    """Whether it is a question in words, none of which is a verb that changes something."""
    if not _PLAIN_WORDS.fullmatch(text) or _SELECT.search(text):
        return False
    return all(words.verbs.get(each) not in SINKS or each in words.either for each in _WORD.findall(text.lower()))
