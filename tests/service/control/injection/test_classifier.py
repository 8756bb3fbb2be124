"""A classifier in the service: off the quick path, within its time, and told apart by its version."""

from __future__ import annotations

import logging
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from assent.contract.control.injection import ScanPromptInjection, SubjectKind
from assent_analytics.injection.classifier import Classifier
from assent_service.app import build
from assent_service.control.injection import Injection, Mode, Subject
from assent_service.control.injection.scanner import CLASSIFIER_SECONDS, Scanner, engine
from assent_service.core.settings import Settings, SettingsError
from tests.service.control.actions.world import World, locks_of, opened

PLAIN = "The harbour opens at seven."


class Whole(NamedTuple):
    ids: Sequence[int]
    offsets: Sequence[tuple[int, int]]


class Model:
    """Says 0.9 of every text, or fails, and keeps the threads that it was asked in."""

    def __init__(self) -> None:
        self.threads: list[str] = []
        self.fails = False
        self.now = 0.0

    def logits(self, _: Sequence[int]) -> list[float]:
        self.threads.append(threading.current_thread().name)
        self.now += 0.6
        if self.fails:
            raise RuntimeError("broken")
        return [0.0, 2.1972]

    def classifier(self) -> Classifier:
        return Classifier(
            "ours",
            "0123456789ab",
            (1,),
            0.8,
            lambda text: [Whole([1], [(0, len(text))])],
            self.logits,
            lambda: self.now,
        )


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
async def injection(tmp_path: Path, model: Model) -> AsyncIterator[tuple[Injection, World]]:
    async with opened(tmp_path / "home") as world:
        ledger = world.service.ledger
        made = Injection(ledger, world.clock, locks_of(ledger), Mode.BLOCK, model.classifier())
        yield made, world
        await made.stop()


async def test_what_it_says_is_recorded_with_its_version_and_never_within_a_call(
    injection: tuple[Injection, World], model: Model
) -> None:
    made, world = injection
    engine()
    subject = Subject(world.admin, SubjectKind.MESSAGE, "msg_1", "bot", world.clock())
    assert made.screen.look_at_once(subject, [("body", PLAIN)]) is None
    noticed = await made.screen.look(subject, [("body", PLAIN)])
    assert noticed.recommendation == "warn"
    assert "classifier ours 0123456789ab gives 0.90" in noticed.says[0]
    assert [name.startswith("assent-screen") for name in model.threads] == [True]
    answer = await made.scan(world.admin, ScanPromptInjection(text=PLAIN, store=True))
    assert (answer.recommendation, answer.version) == ("warn", f"{engine().version}+0123456789ab")
    (finding,) = answer.findings
    assert (finding.pattern, finding.category) == ("classifier", "classifier")


async def test_a_request_has_so_much_time_and_no_more(model: Model) -> None:
    scanner = Scanner("test-scan", model.classifier())
    scans = await scanner.run(1, lambda: [scanner.scan(f"{PLAIN} {number}", "user_input") for number in range(4)])
    rules = [scan.findings[0].rule for scan in scans]
    assert rules == ["classifier", "classifier", "classifier_unread", "classifier_unread"]
    assert model.now == pytest.approx(1.2), "the second that is given ends within its second answer"
    assert CLASSIFIER_SECONDS == 1.0
    again = await scanner.run(1, lambda: scanner.scan(PLAIN, "user_input"))
    assert again.findings[0].rule == "classifier"
    scanner.close()


async def test_one_that_fails_is_told_once_and_asked_again(model: Model, caplog: pytest.LogCaptureFixture) -> None:
    scanner = Scanner("test-scan", model.classifier())
    model.fails = True
    with caplog.at_level(logging.WARNING, "assent.injection"):
        for _ in range(3):
            found = await scanner.run(1, lambda: scanner.scan(PLAIN, "user_input"))
            scanner.remember(PLAIN, "user_input", found)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "the rules count by themselves" in caplog.text
    assert scanner.known.get(PLAIN, "user_input") is None
    model.fails = False
    found = await scanner.run(1, lambda: scanner.scan(PLAIN, "user_input"))
    scanner.remember(PLAIN, "user_input", found)
    assert scanner.known.get(PLAIN, "user_input") == found
    scanner.close()


def test_a_folder_that_holds_none_ends_the_start_and_leaves_the_data_folder_to_the_next_one(tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path / "home"), injection_model=str(tmp_path / "nothing"))
    with pytest.raises(SettingsError, match=r"injection_model cannot be used: .*model\.onnx cannot be read"):
        build(settings)
    build(Settings(home=settings.home)).ledger.close()
