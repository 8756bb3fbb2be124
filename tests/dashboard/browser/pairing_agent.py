"""An agent in a process of its own that asks to be paired, waits until somebody approves, and then signs an action.

    python -m tests.dashboard.browser.pairing_agent

Address and key come from the environment, as an agent's do. It prints one line of JSON when it has asked (`url`,
`fingerprint`), and another one when it is through: how the wait ended and whether its action was verified.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from assent import Client
from assent.errors import PairingError
from assent.proof.private_key import Signer, new_private_key
from tests.live import ROOT, WAIT

MODULE = "tests.dashboard.browser.pairing_agent"
NEVER = 600.0
"""Seconds between two looks, so many that only the stream can end the wait."""


class PairingAgent:
    """The process, seen from the test."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        assert process.stdout is not None
        asked: dict[str, str] = json.loads(process.stdout.readline())
        self.url, self.fingerprint = asked["url"], asked["fingerprint"]

    @property
    def waits(self) -> bool:
        return self._process.poll() is None

    def ended(self) -> dict[str, Any]:
        """How it ended; waits for it."""
        output, _ = self._process.communicate(timeout=WAIT)
        found: dict[str, Any] = json.loads(output.splitlines()[-1])
        return found


@contextmanager
def pairing_agent(base_url: str, key: str) -> Iterator[PairingAgent]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}
    environment |= {"ASSENT_BASE_URL": base_url, "ASSENT_API_KEY": key}
    command = [sys.executable, "-m", MODULE]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield PairingAgent(process)
        finally:
            if process.poll() is None:
                process.kill()


def main() -> dict[str, Any]:
    own = new_private_key()
    signer = Signer(own)
    with Client(agent_id="pairing-bot", private_key=own, say=lambda _: None) as client:
        before = client.create_action("look", "Before it is trusted").action.verification
        asked = client.create_pairing(signer.public_pem, signer.algorithm, "The pairing bot")
        print(json.dumps({"url": asked.pairing_url, "fingerprint": asked.pairing.fingerprint}), flush=True)
        try:
            status = client.wait_for_pairing(asked.pairing.pairing_id, timeout=WAIT, interval=NEVER).status
        except PairingError as error:
            return {"error": type(error).__name__}
        action = client.create_action("look", "Once it is trusted").action
    return {"before": before, "status": status, "verified": action.verified}


if __name__ == "__main__":
    print(json.dumps(main()), flush=True)
