"""Which vector instructions NumPy sorts with.

AMD's Zen 4 has AVX-512, but packs lanes into memory by microcode, which is what NumPy's sort does all the time: a sort
takes five times as long there as with AVX2. NumPy asks the environment when it is loaded.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from pathlib import Path

SETTING = "NPY_DISABLE_CPU_FEATURES"
_AVX512 = "X86_V4"
_ZEN = "25"
"""The family of Zen 3, which has no AVX-512, and of Zen 4."""
_ONE_PROCESSOR = 4096


def sort_with_avx2(environment: MutableMapping[str, str], processor: str) -> None:
    """On a Zen 4, whose entry of /proc/cpuinfo is `processor`, have NumPy do without AVX-512, unless the environment
    says already what it shall do without. It counts where NumPy is not loaded yet."""
    said = dict(re.findall(r"^([\w ]*\w)\s*: (.*)$", processor, re.MULTILINE))
    zen = said.get("vendor_id") == "AuthenticAMD" and said.get("cpu family") == _ZEN
    if zen and "avx512f" in said.get("flags", "").split():
        environment.setdefault(SETTING, _AVX512)


def processor() -> str:
    """The first entry of /proc/cpuinfo; empty where there is none."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as told:
            return told.read(_ONE_PROCESSOR)
    except OSError:
        return ""
