"""A noun with what belongs to it, and what it names."""

from __future__ import annotations

from assent.destructive.reading import Word
from assent.destructive.table import NOTHING, Language, Roles

OBJECTS = frozenset(
    ["data", "people", "storage", "table", "disk", "machine", "code", "access", "item", "everything"],
)
NAMES = OBJECTS | {"soft", "test"}
KEPT = frozenset(["storage", "machine", "disk"])
"""What holds the rest: deleting `everything` or something unknown from it counts."""


class Phrase:
    """A noun with what belongs to it."""

    def __init__(self) -> None:
        self.classified: list[Roles] = []
        self.all = self.strange = self.trial = False
        self.added = False
        """Whether it stands behind an `and`."""
        self.named = NOTHING
        """The objects in front of a preposition (`the table of orders`)."""

    def following(self, divided_by: Roles, verb: Roles, language: Language) -> Phrase:
        """The phrase behind a preposition or an `and`."""
        after = Phrase()
        after.added = bool(divided_by & {"and", "comma"})
        if "from" in divided_by:
            after.named = self.named | self.objects(language)
            after.all = self.all or (self.strange and "erase" in verb)
        return after

    @property
    def empty(self) -> bool:
        return not (self.classified or self.strange or self.trial)

    def take(self, word: Word) -> None:
        roles = word.roles
        if "all" in roles:
            self.all = True
        if "test" in roles:
            self.trial = True
        elif roles & OBJECTS or "soft" in roles:
            self.classified.append(roles)
            self.strange = False
        elif not roles and not word.text.isdigit() and not word.text.endswith("ly"):
            self.strange = True

    def soft(self, language: Language) -> bool:
        if self.trial:
            return True
        return bool(self.classified) and "soft" in self.classified[0 if language.head == "first" else -1]

    def objects(self, language: Language) -> Roles:
        """What kinds of objects it names; none where its head is something else (`customer mug`)."""
        if self.soft(language) or (self.strange and language.name == "en" and not self.all):
            return NOTHING
        return frozenset().union(*self.classified) & OBJECTS
