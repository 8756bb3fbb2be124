"""One secret in a text, told without the secret."""

SHOWN = 4
"""Characters of a key that are shown, where they say what kind of key it is."""


class Finding:
    """`pattern` is the name of what was recognised, `start` and `end` are characters of the text."""

    __slots__ = ("category", "end", "pattern", "prefixed", "severity", "start")

    def __init__(self, pattern: str, category: str, severity: str, start: int, end: int, prefixed: bool) -> None:
        self.pattern, self.category, self.severity = pattern, category, severity
        self.start, self.end, self.prefixed = start, end, prefixed

    def matched(self, text: str) -> str:
        """What people are shown of it: how long it is, and how it begins where every key of its kind begins so."""
        length = f"({self.end - self.start} characters)"
        return f"{text[self.start : self.start + SHOWN]}… {length}" if self.prefixed else length

    def __repr__(self) -> str:
        return f"Finding({self.pattern!r}, {self.start}, {self.end})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Finding):
            return NotImplemented
        return (self.pattern, self.start, self.end) == (other.pattern, other.start, other.end)

    def __hash__(self) -> int:
        return hash((self.pattern, self.start, self.end))
