"""The generated files are those that the contract gives now."""

from tests.contract.generated import HOW, generated, on_disk
from tests.every import every

PRESENT = on_disk()


@every("name", sorted(generated()))
def test_a_generated_file_is_current(name: str) -> None:
    assert PRESENT.get(name) == generated()[name], f"{name} is not what the contract says. {HOW}"


def test_no_generated_file_is_left_over() -> None:
    left = sorted(PRESENT.keys() - generated().keys())
    assert not left, f"{', '.join(left)} belong to no operation any more. {HOW}"
