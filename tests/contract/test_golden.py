"""The generated files are those that the contract gives now."""

import pytest

from tests.contract.generated import HOW, generated, on_disk


@pytest.mark.parametrize("name", sorted(generated()))
def test_a_generated_file_is_current(name: str) -> None:
    assert on_disk().get(name) == generated()[name], f"{name} is not what the contract says. {HOW}"


def test_no_generated_file_is_left_over() -> None:
    left = sorted(on_disk().keys() - generated().keys())
    assert not left, f"{', '.join(left)} belong to no operation any more. {HOW}"
