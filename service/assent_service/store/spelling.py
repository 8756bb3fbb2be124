"""Names in a query: rows keep a name as it was said, and are found by the rule of `assent.contract.names`.

    chosen.add(name_is("agent_id"), "Agent-B")    # rows of agent-b, AGENT-B and ａｇｅｎｔ-b
    chosen.add(name_in("participants"), "Agent-B")  # rows whose list holds one of them

ASCII without a space is compared by the database itself; for anything else it calls the rule in Python, so that old
rows go by it too and no column has to be written anew.
"""

from __future__ import annotations

import duckdb
from duckdb import sqltypes

from assent.contract.names import comparable

_RULE = "name_key"


def add_rule(connection: duckdb.DuckDBPyConnection) -> None:
    """Give a database the function that the conditions here call; its cursors have it too."""

    def rule(name: str) -> str:
        return comparable(name)

    connection.create_function(_RULE, rule, [sqltypes.VARCHAR], sqltypes.VARCHAR)


def name_key(column: str) -> str:
    """What the names of a column are compared by."""
    plain = f"strlen({column}) = length({column}) AND NOT contains({column}, ' ')"
    return f"CASE WHEN {plain} THEN lower({column}) ELSE {_RULE}({column}) END"


def name_keys(column: str) -> str:
    """The same of a column that holds a JSON list of names, as a list."""
    return f"[{name_key('each_name')} FOR each_name IN CAST({column} AS VARCHAR[])]"


def name_is(column: str) -> str:
    """The condition that a column is a spelling of its one parameter, which is given as it was said."""
    return f"{name_key(column)} = {_RULE}(?)"


def name_in(column: str) -> str:
    """The condition that a JSON list of names holds a spelling of its one parameter."""
    return f"{_RULE}(?) = ANY({name_keys(column)})"
