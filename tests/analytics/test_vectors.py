"""NumPy sorts without AVX-512 on Zen 4, and as it likes everywhere else."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from assent_analytics.vectors import SETTING, processor, sort_with_avx2

ZEN_4 = (
    "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nflags\t\t: fpu avx2 avx512f avx512bw\n"
)


def test_on_zen_4_numpy_does_without_avx_512() -> None:
    environment: dict[str, str] = {}
    sort_with_avx2(environment, ZEN_4)
    assert environment == {SETTING: "X86_V4"}


@pytest.mark.parametrize(
    ("told", "instead"),
    [("AuthenticAMD", "GenuineIntel"), (": 25", ": 26"), ("avx512f ", ""), (ZEN_4, "")],
    ids=["another maker", "Zen 5", "Zen 3", "nothing is told"],
)
def test_elsewhere_it_has_what_there_is(told: str, instead: str) -> None:
    environment: dict[str, str] = {}
    sort_with_avx2(environment, ZEN_4.replace(told, instead))
    assert environment == {}


@pytest.mark.parametrize("said", ["", "AVX512_ICL"])
def test_who_said_what_numpy_does_without_is_heeded(said: str) -> None:
    environment = {SETTING: said}
    sort_with_avx2(environment, ZEN_4)
    assert environment == {SETTING: said}


def test_the_package_sees_to_it_before_it_loads_numpy() -> None:
    asked = f"import os, sys, assent_analytics; print('numpy' in sys.modules, repr(os.environ.get({SETTING!r})))"
    environment = {name: value for name, value in os.environ.items() if name != SETTING}
    ran = subprocess.run([sys.executable, "-c", asked], env=environment, capture_output=True, text=True, check=True)
    expected: dict[str, str] = {}
    sort_with_avx2(expected, processor())
    assert ran.stdout.split() == ["False", repr(expected.get(SETTING))]
