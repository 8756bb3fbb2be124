"""Risk scores worked out by hand from the wire's table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_service.control.guard.context import Facts, gather
from assent_service.control.guard.risk import BASE, Factor, Predictive, RiskHistory, assess, predict

# Three successes, nothing in the last hour: history that adds nothing.
CALM = RiskHistory(total=3, failed=0, mean_risk=40.0, last_hour=0)


def facts(
    action_type: str = "other",
    goal: str | None = None,
    systems: tuple[str, ...] = (),
    reversible: bool | None = None,
    agent: float | None = None,
) -> Facts:
    return gather(
        {},
        action_type=action_type,
        declared_goal=goal,
        systems_touched=systems,
        reversible=reversible,
        agent_risk_score=agent,
    )


@pytest.mark.parametrize(
    ("action_type", "base"),
    [
        ("deploy", 75), ("security", 80), ("migrate", 70), ("apply", 60), ("sync", 40), ("api", 35),
        ("config", 30), ("cleanup", 30), ("build", 25), ("post", 25), ("fix", 20), ("refactor", 20),
        ("other", 20), ("test", 15), ("message", 15), ("monitor", 10), ("alert", 10), ("calendar", 10),
        ("research", 10), ("review", 10), ("book_reservation", 20), ("Deploy", 75), ("", 20),
    ],
)  # fmt: skip
def test_base_by_action_type(action_type: str, base: int) -> None:
    risk = assess(facts(action_type), CALM)
    assert (risk.base, risk.score, risk.factors) == (base, base, ())


def test_twenty_types_have_a_base() -> None:
    assert len(BASE) == 20


@pytest.mark.parametrize(
    ("given_facts", "score", "names"),
    [
        # test 15 + irreversible 15
        (facts("test", reversible=False), 30, ("irreversible",)),
        (facts("test", reversible=True), 15, ()),
        (facts("test", reversible=None), 15, ()),
        # other 20 + production 10, once however many
        (facts(systems=("Production", "REDIS", "neon")), 30, ("production_system",)),
        # exact names only
        (facts(systems=("production-eu", "my shell", "databases")), 20, ()),
        (facts(systems=("shell", "filesystem")), 25, ("local_system",)),
        # 20 + 10 + 5
        (facts(systems=("postgres", "Shell")), 35, ("production_system", "local_system")),
        # 20 + 20 destructive
        (facts(goal="read it with [redacted:api_key]"), 20, ()),
        (facts(goal="wipe [redacted:api_key] and the token"), 55, ("destructive_goal", "secrets_goal")),
        (facts(goal="rm -rf /"), 40, ("destructive_goal",)),
        (facts(goal="sudo rm  -fr ~"), 40, ("destructive_goal",)),
        (facts(goal="then DROP TABLE users;"), 40, ("destructive_goal",)),
        (facts(goal="DELETE  FROM users"), 40, ("destructive_goal",)),
        (facts(goal="Format the disk, then wipe it"), 40, ("destructive_goal",)),
        (facts(goal="truncate"), 40, ("destructive_goal",)),
        # 20 + 10 deployment
        (facts(goal="Ship it"), 30, ("deployment_goal",)),
        (facts(goal="git push --force"), 30, ("deployment_goal",)),
        # 20 + 15 secrets
        (facts(goal="rotate API_KEY"), 35, ("secrets_goal",)),
        (facts(goal="list all tokens"), 35, ("secrets_goal",)),
        (facts(goal="read credentials"), 35, ("secrets_goal",)),
        (facts(goal="cat .env"), 35, ("secrets_goal",)),
        (facts(goal="cp prod.env.bak x"), 35, ("secrets_goal",)),
        # 20 + 20 + 10 + 15
        (
            facts(goal="deploy, drop table and print the password"),
            65,
            ("destructive_goal", "deployment_goal", "secrets_goal"),
        ),
        # 75 + 15 + 10 + 5 + 20 + 10 + 15 = 150, clamped
        (
            facts("deploy", "wipe, deploy, key", ("database", "shell"), reversible=False),
            100,
            (
                "irreversible", "production_system", "local_system",
                "destructive_goal", "deployment_goal", "secrets_goal",
            ),
        ),
    ],
)  # fmt: skip
def test_what_the_action_is(given_facts: Facts, score: int, names: tuple[str, ...]) -> None:
    risk = assess(given_facts, CALM)
    assert (risk.score, risk.factor_names) == (score, names)
    assert tuple(factor.name for factor in risk.factors) == names
    assert min(100, risk.base + sum(factor.addition for factor in risk.factors)) == score


@pytest.mark.parametrize(
    "goal",
    [
        "feed the monkey", "formatting and reformat", "tokenize the corpus", "worship", "turnkey solution",
        "keyboard layout", "pushed and shipped", "environment", "set .environment", "passwordless login",
        "relationships", "drop the tables", "delete everything from", "rm file -rfx", "term -rf", "swiped", "",
        "informat", "key2", "2key", "ключkey", "secretary", "a review of hotels in Key\u00e9",
    ],
)  # fmt: skip
def test_words_inside_other_words_do_not_count(goal: str) -> None:
    assert assess(facts(goal=goal), CALM).factors == ()


@pytest.mark.parametrize("goal", ["key", "key.", "(key)", "a-key-b", "my_key", "KEY", "the\tkey\n", "'key'", "/key/"])
def test_word_boundaries_are_anything_but_letters_and_digits(goal: str) -> None:
    assert assess(facts(goal=goal), CALM).factors == (Factor("secrets_goal", 15),)


def test_goals_of_2000_characters() -> None:
    assert assess(facts(goal="monkey " * 285 + "wiped"), CALM).factors == ()
    assert assess(facts(goal="x" * 1995 + " wipe"), CALM).factor_names == ("destructive_goal",)
    assert assess(facts(goal="rm " * 660 + "-rf"), CALM).factor_names == ("destructive_goal",)
    assert assess(facts(goal="rm" + " " * 1990 + "-r"), CALM).factors == ()


@pytest.mark.parametrize(
    ("agent", "score"),
    [
        (None, 75), (10.0, 75), (75.0, 75), (75.2, 76), (90.0, 90), (100.0, 100), (250.0, 100), (-5.0, 75),
        (float("inf"), 100), (float("-inf"), 75),
    ],
)  # fmt: skip
def test_the_agents_own_score_only_raises(agent: float | None, score: int) -> None:
    assert assess(facts("deploy", agent=agent), CALM).score == score


@pytest.mark.parametrize(
    ("history", "adjustment"),
    [
        (RiskHistory(), 5),
        (RiskHistory(total=4, failed=1), 0),  # a quarter is not more than a quarter
        (RiskHistory(total=7, failed=2), 10),  # 0.29
        (RiskHistory(total=2, failed=1), 10),  # a half is not more than a half
        (RiskHistory(total=5, failed=3), 15),  # 0.6
        (RiskHistory(total=50, failed=0, last_hour=20), 0),  # velocity alone is no risk
        (RiskHistory(total=50, failed=1, last_hour=6), 5),
        (RiskHistory(total=50, failed=1, last_hour=5), 0),
        (RiskHistory(total=10, failed=9, last_hour=9), 20),
    ],
)
def test_what_history_adds(history: RiskHistory, adjustment: int) -> None:
    assert predict(history).adjustment == adjustment
    assert assess(facts("test"), history).score == 15 + adjustment
    assert assess(facts("security", agent=95.0), history).score == min(100, 95 + adjustment)


def test_the_predictive_part_reports_its_numbers() -> None:
    history = RiskHistory(total=8, failed=3, mean_risk=41.5, last_hour=7)
    assert predict(history) == Predictive(
        adjustment=15, failure_rate=0.375, total_actions=8, avg_historical_risk=41.5, velocity=7
    )
    assert predict(RiskHistory()) == Predictive(
        adjustment=5, failure_rate=0.0, total_actions=0, avg_historical_risk=None, velocity=0
    )


words = st.sampled_from(
    ["rm -rf", "deploy", "key", "monkey", ".env", "drop", "table", "_", " ", "-", "x", "É", "format", "ting"]
)


@given(
    st.sampled_from([*BASE, "book"]),
    st.lists(words, max_size=12).map("".join),
    st.lists(st.sampled_from(["production", "Shell", "crm"]), max_size=3),
    st.sampled_from([True, False, None]),
    st.one_of(st.none(), st.floats(0, 100)),
    st.integers(0, 20).flatmap(
        lambda n: st.builds(RiskHistory, total=st.just(n), failed=st.integers(0, n), last_hour=st.integers(0, n))
    ),
)
def test_score_is_bounded_and_never_below_the_agents(
    action_type: str, goal: str, systems: list[str], reversible: bool | None, agent: float | None, history: RiskHistory
) -> None:
    risk = assess(facts(action_type, goal, tuple(systems), reversible, agent), history)
    assert 0 <= risk.score <= 100
    assert risk.score >= (agent or 0)
    plain = assess(facts(action_type, goal, tuple(systems), reversible), history)
    assert risk.score >= plain.score
