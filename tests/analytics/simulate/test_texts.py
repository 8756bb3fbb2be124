"""Texts fit what they are about, and nothing is left open in them."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest

from assent_analytics.simulate import History, Texts, simulate, vocabulary
from assent_analytics.simulate.kinds import NAMES
from assent_analytics.simulate.texts import scatter

UNTIL = datetime(2026, 3, 18, 16, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def history() -> History:
    return simulate(4, until=UNTIL, actions=20_000, waiting=3)


@pytest.fixture(scope="module")
def texts(history: History) -> Texts:
    return history.with_text()


def test_every_type_has_its_words() -> None:
    tables = (vocabulary.GOALS, vocabulary.SYSTEMS, vocabulary.DONE, vocabulary.BELIEFS)
    assert all(set(table) == set(NAMES) for table in tables)


def test_goals_are_whole_sentences_in_many_forms(texts: Texts) -> None:
    goals = texts.actions["declared_goal"]
    assert goals.null_count() == 0
    assert not goals.str.contains(r"[{}]|  |^ | $").any()
    assert goals.str.len_chars().min() > 10  # type: ignore[operator]  # a number
    assert goals.n_unique() > 10_000
    refunds = texts.actions.filter(pl.col("action_type") == "refund")["declared_goal"]
    assert refunds.str.contains("(?i)refund|back").all()


def test_a_slot_is_filled_with_a_word_of_its_kind(texts: Texts) -> None:
    raised = texts.actions["declared_goal"].str.extract_groups(r"^Raise (?<setting>.+) of (?<service>[\w-]+)$")
    found = raised.struct.unnest().drop_nulls()
    assert len(found) > 100
    assert set(found["setting"]) == set(vocabulary.WORDS["setting"])
    assert set(found["service"]) == set(vocabulary.WORDS["service"])


def test_ids_join_the_frames_and_sort_as_they_happened(texts: Texts) -> None:
    actions = texts.actions
    assert actions["action_id"].is_sorted()
    assert actions["action_id"].n_unique() == len(actions)
    assert set(texts.assumptions["action_id"]) <= set(actions["action_id"])
    asked = actions.filter(pl.col("decision") == "require_approval")
    assert asked["approval_id"].to_list() == texts.approvals["approval_id"].to_list()
    assert actions["approval_id"].null_count() == len(actions) - len(asked)
    assert actions["decision_id"].to_list() == texts.decisions["decision_id"].to_list()


def test_an_ending_is_told_and_nothing_else(texts: Texts) -> None:
    status = pl.col("status").cast(pl.String)
    done = texts.actions.select((pl.col("output_summary").is_not_null() == (status == "completed")).all()).item()
    wrong = texts.actions.select(
        (pl.col("error_message").is_not_null() == status.is_in(["failed", "blocked", "cancelled"])).all()
    ).item()
    assert done
    assert wrong
    reasons = texts.approvals.filter(pl.col("state") == "denied")
    told = reasons.join(texts.actions, on="number").select((pl.col("reasoning") == pl.col("error_message")).all())
    assert told.item()
    assert set(reasons["reasoning"]) == set(vocabulary.DENIALS)


def test_lists_are_json(texts: Texts) -> None:
    assert {system for text in texts.actions["systems_touched"].unique() for system in json.loads(text)} >= {"crm"}
    names = {name for text in texts.decisions["matched_policies"].unique() for name in json.loads(text)}
    assert names == {
        "Nobody deletes customer data",
        "Ask before a risky release",
        "Ask before a risky refund",
        "Warn from risk 50",
    }


def test_a_session_is_half_a_day_of_one_agent(texts: Texts) -> None:
    spans = texts.actions.group_by("session_id").agg(
        pl.col("agent_id").n_unique().alias("agents"),
        (pl.col("timestamp_start").max() - pl.col("timestamp_start").min()).dt.total_hours().alias("hours"),
    )
    assert spans["agents"].max() == 1
    assert spans["hours"].max() < 12  # type: ignore[operator]  # a number


def test_scatter_is_splitmix64() -> None:
    # The first outputs of SplitMix64 from the state 1234567, as its reference implementation prints them.
    reference = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    golden, mask = 0x9E3779B97F4A7C15, 2**64 - 1
    inverse = pow(golden, -1, 2**64)
    seed = 1234567 * inverse & mask
    assert scatter(seed, 0, np.array([1, 2, 3], np.uint32)).tolist() == reference
