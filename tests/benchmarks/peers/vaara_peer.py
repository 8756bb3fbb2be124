"""vaara's pipeline, which decides a call and writes the decision to SQLite: `python vaara_peer.py ROUNDS`, in an
interpreter that has vaara. Its trail is in the home folder of whoever runs it.
"""

# mypy: ignore-errors
# The package is not installed where mypy runs.

import logging
import sys
import time
from importlib.metadata import version
from statistics import median

from vaara.pipeline import InterceptionPipeline

CALLS = 300


def main(rounds):
    logging.disable(logging.CRITICAL)
    pipeline = InterceptionPipeline()
    rates = []
    for turn in range(rounds):
        began = time.perf_counter()
        for number in range(CALLS):
            pipeline.intercept(
                agent_id=f"agent-{number}",
                tool_name="deploy",
                parameters={"goal": f"Roll out build {turn * CALLS + number} of the billing service"},
            )
        rates.append(CALLS / (time.perf_counter() - began))
    name = f"vaara {version('vaara')}, its pipeline with SQLite in process"
    print(f"{name}: {median(rates):.0f} calls/s ({min(rates):.0f}-{max(rates):.0f})")


main(int(sys.argv[1]))
