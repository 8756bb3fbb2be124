"""Whether what a tool that reads is asked with changes something: a mutation of GraphQL sends, a statement of SQL
writes or destroys.

A statement is known by the words that it begins with, wherever one may begin: at the start of a text or a line, behind
a semicolon, a bracket or a comment. That is true of what stands in its quotes as well, since databases do not agree on
where a quote ends. Where the name of the tool or of the argument says that it is SQL its first word is enough, and the
words of a whole statement wherever they stand (`IF 1=1 DROP TABLE users`), as some databases need nothing between two;
elsewhere the words behind it must be those of a statement, since `update my calendar` is one of nothing.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

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
    r"rename|exec|execute|call|copy|load|attach|vacuum|reindex|refresh|lock|comment)\b(?!\s*\()",
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
