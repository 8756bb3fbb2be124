"""What the words of a comment say, by lists of whole English words. Pure.

1. A word is a run of letters with its apostrophes; case does not matter. Only whole words count: "slowly" is not
   "slow", and neither is a word that has one of ours inside.
2. Each word of praise counts for positive, each word of blame for negative. One that follows a negation, directly or
   with one or two words between that only strengthen or point ("not very good", "no real problems"), counts for the
   other side.
3. The side with more words wins; without any, or with as many on both sides, the comment is neutral.
4. A comment has the tag of a topic when one of the topic's words is in it, negated or not: "not slow" is about
   performance, too.

Comments in other languages are neutral and have no topics, unless they use these words.
"""

from __future__ import annotations

import re

from assent.contract.exchange.feedback import Sentiment

_WORD = re.compile(r"[^\W\d_]++(?:['\u2019][^\W\d_]++)*+")


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


PRAISE = _set(
    """
    accurate amazing awesome beautiful better best brilliant clean clear correct correctly delighted easy efficient
    elegant enjoyed excellent fabulous fantastic fast flawless glad good grateful great happy helped helpful impressed
    impressive improved intuitive liked love loved nice nicely outstanding perfect perfectly pleasant pleased
    precise quick quickly reliable responsive right satisfied saved smart smooth smoothly solid solved splendid stable
    stellar super superb terrific thank thankful thanks thorough useful valuable well wonderful works
    """
)
BLAME = _set(
    """
    annoying awful bad badly broke broken bug buggy bugs clumsy clunky complain confused confusing crash crashed crashes
    dangerous disappointed disappointing dislike disliked dreadful error errors fail failed failing fails failure
    failures fault faulty frustrated frustrating garbage hallucinated hate hated horrible inaccurate incomplete
    incorrect incorrectly insecure irritating issue issues laggy lost mediocre mess mistake mistakes missing nonsense
    painful poor poorly problem problems rubbish sad slow sloppy sluggish stuck terrible ugly unacceptable unhappy
    unreliable unstable unusable unhelpful upset useless wasted waste weak worse worst wrong wrongly
    """
)
NEGATIONS = _set(
    """
    no not never none nothing without hardly barely neither nor cannot cant couldnt dont doesnt didnt isnt arent wasnt
    werent wont wouldnt shouldnt hasnt havent hadnt
    """
)
BETWEEN = _set("a an the any at all so very really too that this real major single particularly exactly been be")
REACH = 3
"""How many words after a negation it still turns one round."""

TOPICS: dict[str, frozenset[str]] = {
    "performance": _set(
        """
        bottleneck delay delayed delays fast faster hang hangs instant lag laggy lags latency performance quick quicker
        quickly responsive slow slower slowly sluggish speed speedy throughput waited waiting
        """
    ),
    "accuracy": _set(
        """
        accuracy accurate correct correctly fabricated factual hallucinated hallucinates hallucination hallucinations
        imprecise inaccurate incorrect incorrectly mistake mistaken mistakes precise precision wrong wrongly
        """
    ),
    "ux": _set(
        """
        accessibility clumsy clunky confused confusing design intuitive interface layout navigation readable ui
        unreadable usability usable ux workflow
        """
    ),
    "reliability": _set(
        """
        broke broken bug buggy bugs crash crashed crashes downtime fail failed failing fails failure failures flaky
        intermittent outage outages reliability reliable stable stability stuck timeout timeouts unavailable unreliable
        unstable
        """
    ),
    "cost": _set(
        """
        afford affordable bill billed billing budget cheap cheaper cost costly costs expensive overpriced price priced
        prices pricey pricing spend spending spent
        """
    ),
    "security": _set(
        """
        breach credential credentials encrypted encryption exfiltrated exploit exposed injection insecure leak leaked
        leaking leaks malicious password passwords permission permissions privacy secret secrets secure security
        unauthorized unsafe vulnerability vulnerable
        """
    ),
}
"""In the order in which tags are added."""


def words(comment: str) -> list[str]:
    """The comment's words, apostrophes left out: "Don't" is `dont`."""
    return [found.replace("'", "").replace("\u2019", "") for found in _WORD.findall(comment.casefold())]


def mood(comment: str) -> Sentiment:
    """What the comment's words say."""
    said = words(comment)
    balance = 0
    for place, word in enumerate(said):
        worth = (word in PRAISE) - (word in BLAME)
        if worth:
            balance += -worth if _negated(said, place) else worth
    if balance == 0:
        return Sentiment.NEUTRAL
    return Sentiment.POSITIVE if balance > 0 else Sentiment.NEGATIVE


def topics(comment: str) -> list[str]:
    """The tags that the comment brings along."""
    said = set(words(comment))
    return [topic for topic, known in TOPICS.items() if not said.isdisjoint(known)]


def _negated(said: list[str], place: int) -> bool:
    for before in range(place - 1, max(-1, place - 1 - REACH), -1):
        if said[before] in NEGATIONS:
            return True
        if said[before] not in BETWEEN:
            return False
    return False
