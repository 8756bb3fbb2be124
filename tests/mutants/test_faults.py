"""The planted faults fit the code as it is; `make mutants` shows that tests find them."""

from __future__ import annotations

import difflib

from tests.every import every
from tests.mutants.faults import PARTS, TOP, Fault, faults

FAULTS = faults()


@every("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_one_line_of_a_text_that_still_stands_once(fault: Fault) -> None:
    text = (TOP / fault.file).read_text(encoding="utf-8")
    planted = fault.plant(text)
    compile(planted, fault.file, "exec")
    changes = [line for line in difflib.ndiff(text.splitlines(), planted.splitlines()) if line[0] in "+-"]
    assert 1 <= len(changes) <= 2, f"{fault.name} changes more than a line: {changes}"
    assert len({line[0] for line in changes}) == len(changes), f"{fault.name} changes two lines: {changes}"


@every("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_tests_near_a_fault_are_there(fault: Fault) -> None:
    assert fault.near
    missing = [place for place in fault.near if not (TOP / place.partition("::")[0]).exists()]
    assert not missing, f"{fault.name}: there is no {missing}"
    assert fault.breaks.endswith("."), "say in a sentence what it breaks"


def test_each_fault_has_a_name_and_each_part_has_some() -> None:
    names = [fault.name for fault in FAULTS]
    assert len(set(names)) == len(names)
    assert {fault.part for fault in FAULTS} == set(PARTS)
