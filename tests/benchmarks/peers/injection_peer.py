"""agent-os-kernel's detector over texts: a JSON list of texts on standard input, a JSON list of levels 0-4 back.

Run by a Python that has agent-os-kernel 3.7.0. The level is that of the detector's `ThreatLevel`, in its order.
"""

# mypy: ignore-errors
# The package is not installed where mypy runs.

from __future__ import annotations

import json
import logging
import sys
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

from agent_os.prompt_injection import PromptInjectionDetector, ThreatLevel  # noqa: E402


def main() -> None:
    levels = {level: place for place, level in enumerate(ThreatLevel)}
    detector = PromptInjectionDetector()
    found = [detector.detect(text, source="benchmark") for text in json.load(sys.stdin)]
    json.dump([levels[one.threat_level] if one.is_injection else 0 for one in found], sys.stdout)


if __name__ == "__main__":
    main()
