"""Between two streams: gone is said once, back is said once, and a service that answers is not waited for."""

from __future__ import annotations

from datetime import datetime

from assent.cli.outage_watch import BETWEEN, LONGEST, OutageWatch, gone_words
from tests.sdk.data.fake_service import NOW


class Watchman:
    """Answers as the test says; `said` is what was told, `waited` for how long."""

    def __init__(self, *answers: bool) -> None:
        self.answers = list(answers)
        self.said: list[str] = []
        self.waited: list[float] = []

    def outage_watch(self) -> OutageWatch:
        return OutageWatch(
            lambda: self.answers.pop(0),
            gone=self._gone,
            back=lambda: self.said.append("back"),
            wait=self.waited.append,
            today=lambda: NOW,
        )

    def _gone(self, since: datetime) -> None:
        self.said.append(gone_words(since))


def test_a_service_that_is_away_is_waited_for_and_said_once() -> None:
    watchman = Watchman(False, False, False, True)
    watchman.outage_watch().pause(30)
    assert watchman.said == ["The service does not answer since 09:00:00 UTC; trying again", "back"]
    assert watchman.waited == [BETWEEN, BETWEEN]


def test_a_stream_that_was_cut_while_the_service_answers_is_no_news() -> None:
    watchman = Watchman(True, True)
    outage_watch = watchman.outage_watch()
    outage_watch.pause(0.2)
    outage_watch.pause(30)
    assert (watchman.said, watchman.waited) == ([], [0.2, LONGEST])
