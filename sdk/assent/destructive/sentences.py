"""Whether a sentence says that something is to be destroyed.

1. A text is cut into sentences, and each into words with their roles in its language (`table`); what its own language
   does not know is read as English, since technical words are.
2. Each verb of destruction looks for what it acts on: behind it, phrase by phrase; where its language puts it in front,
   or the sentence is passive, in front of it; and what a pronoun stands for, before that.
3. In a phrase the head decides (the last noun of `customer email drafts`, the first of `brouillon du client`): an
   ordinary head (`soft`) makes it ordinary, and so does what is only there to try things out (`test`).
4. Which objects a verb takes depends on the verb: deleting takes any, formatting takes disks, revoking needs `all`.
5. A verb that is negated (`do not delete`, not `do not hesitate to delete`) or only talked about (`explain how to
   delete`) does not count; nor what somebody wishes, where the order is to explain it (`he wants to delete his account:
   explain how`).
6. A command as typed (`DROP TABLE`, `rm -rf`, `terraform destroy`) counts unless it is negated or talked about.
7. An order goes on behind a colon or a line break that parts its verb from what it acts on (`delete all:` ...), and a
   text in odd case (`DeLeTe AlL`) is read as one word each as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from assent.destructive.fold import folded
from assent.destructive.phrase import KEPT, NAMES, OBJECTS, Phrase
from assent.destructive.reading import SPACELESS, Word, likely, may_destroy, plain, read, script
from assent.destructive.table import COMMAND_WORDS, COMMANDS, LANGUAGES, NOTHING, VERBS, Language, Roles

REACH = 18
"""Words that a verb looks ahead or back."""
SHORT = 12
"""Words of an order that only says what is to be explained."""
SIGHT = 40
"""Words within which it is told whether a verb is only talked about."""
MOST_COMMANDS = 20
"""Commands of one text that are looked at."""
JOINS = frozenset(["and", "or", "comma"])
PARTS = JOINS | {"from", "about"}

_SENTENCE = re.compile(r"[!?;:\n。！？；：…।]+|\.(?=\s|$)|\s[-–—]+\s")
_PARTED = re.compile(r"([!?;:\n。！？；：…।]+|\.(?=\s|$)|\s[-–—]+\s)")
_GOES_ON = re.compile(r"[:：\n\s]+")
_OF_AN_OBJECT = frozenset(["all", "the"])
"""What stands between a verb and an object that is still to come, besides these words:"""
_STILL_TO_COME = frozenset(["following", "these", "those", "this"])
_NOT = re.compile(r"n['’]t\b")


def speaks_of_destruction(goal: str) -> bool:
    """The module says how."""
    text = folded(goal)
    # Capitals within words part them, unless somebody only plays with the case.
    plainly = text if goal.islower() else folded(goal.lower())
    return _says(text) or (plainly != text and _says(plainly))


def _says(text: str) -> bool:
    if "'" in text or "’" in text:
        text = _NOT.sub(" not", text)
    language = script(text)
    if (text.isascii() or not SPACELESS.search(text)) and not may_destroy(plain(text)):
        return False
    before: list[Word] = []
    last: list[Word] = []
    parts = _PARTED.split(text)
    sentences, between = parts[::2], parts[1::2]
    open_order = ""
    for at, sentence in enumerate(sentences):
        words = plain(sentence) if sentence else []
        if not words:
            continue
        whole = f"{open_order} {sentence}" if open_order else ""
        if whole and _one_says(whole, language):
            return True
        explained = at + 1 < len(sentences) and _asks_how(sentences[at + 1])
        goes_on = False
        for each in [language] if language else likely(words):
            found = Sentence(read(sentence, words, each), each, before, explained=explained)
            if found.destroys():
                return True
            goes_on = goes_on or found.lacks_an_object()
            last = found.words
        before = last
        open_order = sentence if goes_on and at < len(between) and _GOES_ON.fullmatch(between[at]) else ""
    return _commands(text)


def _one_says(sentence: str, language: Language | None) -> bool:
    words = plain(sentence)
    return any(
        Sentence(read(sentence, words, each), each, []).destroys()
        for each in ([language] if language else likely(words))
    )


def _asks_how(sentence: str) -> bool:
    """Whether it is an order to explain something, and that alone."""
    words = plain(sentence)
    if not words or len(words) > SHORT or "how" not in words:
        return False
    said = read(sentence, words, LANGUAGES["en"])
    return bool(said) and "frame" in said[0].roles and not any(word.roles & VERBS for word in said)


def _commands(text: str) -> bool:
    if COMMAND_WORDS.isdisjoint(plain(text)):
        return False
    for found in islice(COMMANDS.finditer(text), MOST_COMMANDS):
        said = _SENTENCE.split(text[: found.start()])[-1][-400:]
        words = plain(said)
        for each in likely(words) if words else []:
            front = Sentence(read(said, words, each), each, [])
            if front.talked_about(len(front.words)) or front.negated(len(front.words)):
                break
        else:
            return True
    return False


class Sentence:
    """`explained` says that the order which follows is to explain this."""

    def __init__(
        self, words: list[Word], language: Language, before: Sequence[Word], *, explained: bool = False
    ) -> None:
        self.words, self.language, self.before, self.explained = words, language, before, explained
        self.holds = frozenset().union(*(word.roles for word in words)) if words else NOTHING

    def destroys(self) -> bool:
        return any(
            self._acts(at)
            for at, word in enumerate(self.words)
            if word.roles & VERBS
            and not self.talked_about(at)
            and not self._adjective(at)
            and not (self.explained and self._wished(at))
        )

    def lacks_an_object(self) -> bool:
        """Whether it ends with a verb of destruction and nothing that it acts on."""
        for at in range(len(self.words) - 1, -1, -1):
            word = self.words[at]
            if word.roles & VERBS:
                return not self.negated(at) and not self.talked_about(at)
            if not (word.roles & _OF_AN_OBJECT or word.text in _STILL_TO_COME):
                return False
        return False

    def _wished(self, at: int) -> bool:
        """Whether it is what somebody wants to do (`wants to delete`)."""
        return (
            at >= 2
            and self.words[at - 1].text == "to"
            and any("wish" in word.roles for word in self.words[max(0, at - 4) : at - 1])
        )

    def _acts(self, at: int) -> bool:
        roles = self.words[at].roles & VERBS
        if "last" in roles and self._denied(at):
            return True
        roles -= {"last"}
        if not roles or self.negated(at):
            return False
        if self.language.object == "front":
            return bool(self._in_front(at, roles))
        found = None if roles <= {"state"} and not self._plainly(at) else self._behind(at, roles)
        if found is None and (self.language.object == "either" or self._passive(at) or "state" in roles):
            found = self._in_front(at, roles)
        if found is None:
            found = self._meant(at, roles) or self._joined(at, roles)
        return bool(found)

    # What a verb acts on. Each answers None where there is nothing that tells.

    def _behind(self, at: int, verb: Roles) -> bool | None:
        phrase, decided, place = Phrase(), None, at + 1
        for place in range(at + 1, min(len(self.words), at + REACH)):
            word = self.words[place]
            if word.roles & NAMES:
                phrase.take(word)
            elif self._ends(place, phrase, verb):
                if "not" in word.roles and self._taken_back(place, phrase):
                    return False
                break
            elif word.roles & PARTS or ("the" in word.roles and not phrase.empty):
                found = self._judged(phrase, verb, place)
                if found or (found is False and not word.roles & {*JOINS, "the"}):
                    return found
                decided = decided if found is None else found
                phrase = phrase.following(word.roles, verb, self.language)
            else:
                phrase.take(word)
        else:
            place = min(len(self.words), at + REACH)
        found = None if phrase.empty else self._judged(phrase, verb, place)
        return decided if found is None else found

    def _ends(self, place: int, phrase: Phrase, verb: Roles) -> bool:
        """Whether nothing from here on belongs to the verb."""
        roles = self.words[place].roles
        if "not" in roles or ("about" in roles and "reset" not in verb):
            return True
        if roles & VERBS:
            return not self._adjective(place)
        if roles & JOINS:
            return phrase.empty and not phrase.all
        # After an `and`, something unknown in front of an article is a verb: `wipe away a tear and thank the customer`.
        return "the" in roles and phrase.added and phrase.strange and not phrase.classified

    def _taken_back(self, place: int, phrase: Phrase) -> bool:
        """Whether a negation behind the verb is of the verb, or of its object."""
        return phrase.empty or (self.language.name in ("de", "nl") and not self._let_go(place))

    def _judged(self, phrase: Phrase, verb: Roles, place: int) -> bool | None:
        if phrase.soft(self.language):
            return False
        objects = phrase.objects(self.language)
        if not objects or not self._takes(verb, objects | phrase.named, phrase.all):
            return None
        return not self._elsewhere(place, objects)

    def _elsewhere(self, place: int, objects: Roles) -> bool:
        """Whether what follows says that it is something to try out, or part of something ordinary."""
        phrase = Phrase()
        for word in self.words[place : place + 8]:
            if word.roles & (VERBS | {"about", "and", "or", "comma"}) and not word.roles & NAMES:
                break
            phrase.take(word)
        if phrase.trial:
            return True
        return bool(objects) and not objects & KEPT and phrase.soft(self.language) and not self.holds & KEPT

    def _in_front(self, at: int, verb: Roles) -> bool | None:
        phrase = Phrase()
        found: list[Word] = []
        for word in reversed(self.words[max(0, at - REACH) : at]):
            if word.roles & VERBS and not word.roles & NAMES:
                break
            found.append(word)
        for word in reversed(found):
            phrase.take(word)
        if phrase.trial:
            return False
        if self.language.object == "front":
            soft = bool(phrase.classified) and "soft" in phrase.classified[-1]
        else:
            soft = any("soft" in each for each in phrase.classified)
        if soft:
            return False
        objects = frozenset().union(*phrase.classified) & OBJECTS
        return True if objects and self._takes(verb, objects, phrase.all) else None

    def _meant(self, at: int, verb: Roles) -> bool:
        """What a pronoun behind the verb stands for."""
        if at + 1 >= len(self.words) or "it" not in self.words[at + 1].roles:
            return False
        phrase = Phrase()
        for word in (*self.before[-REACH:], *self.words[:at]):
            phrase.take(word)
        objects = frozenset().union(*phrase.classified) & OBJECTS
        ordinary = phrase.trial or any("soft" in each for each in phrase.classified)
        return not ordinary and bool(objects & (KEPT | {"data"})) and self._takes(verb, objects, all_of_it=True)

    def _joined(self, at: int, verb: Roles) -> bool:
        """A noun that stands right in front (`a full customer data wipe`)."""
        if at == 0 or self.language.name != "en" or self.words[at].text.endswith(("ed", "ing", "s")):
            return False
        objects = self.words[at - 1].roles & OBJECTS
        return (
            bool(objects)
            and bool(verb & {"erase", "stop", "format"})
            and not self.holds & {"soft", "test"}
            and (at + 1 == len(self.words) or bool(self.words[at + 1].roles & {"about", "from", "and", "comma"}))
        )

    def _takes(self, verb: Roles, objects: Roles, all_of_it: bool) -> bool:
        kept = bool(self.holds & KEPT)
        if "everything" in objects and objects <= {"everything", "item"}:
            return "erase" in verb or "slang" in verb or ("shed" in verb and kept)
        if objects <= {"access", "item"}:
            return all_of_it and bool(verb & {"erase", "slang", "shed", "revoke"})
        if "erase" in verb:
            return True
        if "state" in verb:
            return bool(objects - {"item", "access"})
        if "slang" in verb:
            return bool(objects & {"storage", "disk", "machine", "code", "data"}) or all_of_it
        if "shed" in verb:
            plenty = all_of_it or kept or {"data", "people"} <= objects
            return (
                bool(objects & {"storage", "disk"})
                or (plenty and not objects <= {"table"})
                or ("table" in objects and (all_of_it or len(objects) > 1))
            )
        if "cut" in verb:
            return bool(objects & {"storage", "table", "data", "people", "disk"})
        if "stop" in verb:
            return bool(objects & KEPT) or (all_of_it and "people" in objects)
        if "tidy" in verb:
            return all_of_it and bool(objects & KEPT)
        if "format" in verb:
            return bool(objects & {"disk", "machine"}) or (all_of_it and "storage" in objects)
        if "reset" in verb:
            return bool(objects & {"storage", "machine", "code", "disk"})
        return all_of_it and bool(objects & {"access", "people"})

    # Whether a verb counts.

    def negated(self, at: int) -> bool:
        name = self.language.name
        if self.language.object == "front" and any("not" in word.roles for word in self.words[at + 1 : at + 3]):
            return True
        if name in ("ja", "ko"):
            return False
        for place in range(at - 1, max(-1, at - 8), -1):
            roles = self.words[place].roles
            if roles & {"and", "comma"} and not self._subordinate(place):
                return False
            if "not" in roles:
                return not self._let_go(place)
        return False

    def _let_go(self, place: int) -> bool:
        """Whether a negation is of something else than the verb (`do not hesitate`)."""
        front = place - 2 if self.language.name == "fr" else place + 1
        return any("still" in word.roles for word in self.words[max(0, front) : place + 4])

    def _denied(self, at: int) -> bool:
        """That nothing of something remains."""
        if self.holds & {"soft", "test"} or not self.holds & (OBJECTS - {"item", "access"}):
            return False
        return any("not" in word.roles for word in self.words[max(0, at - 10) : at]) and not self.talked_about(at)

    def talked_about(self, at: int) -> bool:
        if self.language.object == "front" or self.language.name == "zh":
            for word in self.words[at + 1 : at + SIGHT]:
                if word.roles & {"and", "comma"}:
                    break
                if "frame" in word.roles and (
                    self.language.name != "zh" or word.text in ("方法", "教程", "指南", "政策")
                ):
                    return True
            if self.language.object == "front" and self.language.name in ("ja", "ko"):
                return False
        for place in range(at - 1, max(-1, at - SIGHT), -1):
            roles = self.words[place].roles
            if roles & {"and", "comma"} and not self._subordinate(place):
                return False
            if "frame" in roles:
                return True
        return False

    def _subordinate(self, place: int) -> bool:
        """Whether a comma stands in front of `dass`, `wie`, `как`."""
        return place + 1 < len(self.words) and bool(self.words[place + 1].roles & {"frame", "that"})

    def _adjective(self, at: int) -> bool:
        """`deleted users` are no order to delete them, and `an empty table` is none to empty it."""
        word = self.words[at]
        if self.language.name == "de":
            return word.text.startswith("ge") and word.text.endswith(("te", "ten", "ter", "tes", "tem"))
        if self.language.name != "en" or at + 1 >= len(self.words):
            return False
        behind = self.words[at + 1].roles
        if "quality" in word.roles and at > 0 and "the" in self.words[at - 1].roles and "from" not in behind:
            return True
        if "state" in word.roles and at > 0 and not behind & {"the", "all"} and "being" not in self.words[at - 1].roles:
            return bool(behind & OBJECTS or not behind) and bool(self.words[at - 1].roles & {"the", "all"})
        return word.text.endswith("ed") and bool(behind & OBJECTS) and not self._after_being(at)

    def _plainly(self, at: int) -> bool:
        """Whether a word for a state is the verb that brings it about (`empty the table`, `vacía la tabla`)."""
        return self.words[at].text == "empty" or at == 0 or bool(self.words[at - 1].roles & {"and", "comma"})

    def _after_being(self, at: int) -> bool:
        return any("being" in word.roles for word in self.words[max(0, at - 3) : at])

    def _passive(self, at: int) -> bool:
        behind = self.words[at + 1].roles if at + 1 < len(self.words) else frozenset(["about"])
        participle = self.words[at].text.split()[0].endswith(("ed", "en", "n", "t", "ped")) or self._after_being(at)
        return participle and (self._after_being(at) or bool(behind & {"about", "from", "and", "comma"}))
