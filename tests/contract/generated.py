"""Writes what is generated from the contract: `make golden`, or `python -m tests.contract.generated`.

Golden files of operations that are gone are removed. Read the difference before you commit it: it is what the users
of the API will see.
"""

from functools import cache
from pathlib import Path

from tests.contract.golden_files import FOLDER, golden_files
from tests.contract.published_schemas import published_schemas
from tests.contract.reference_pages import reference_pages

TOP = Path(__file__).parents[2]
HOW = "Run `make golden`, and read the difference: it is what the users of the API will see."


@cache
def generated() -> dict[str, str]:
    """The text of every generated file, by its path from the top of the repository."""
    return golden_files() | reference_pages() | published_schemas()


def on_disk() -> dict[str, str]:
    """The same as it is in the repository now; a file that is missing is not in it."""
    golden = [f"{FOLDER}/{file.name}" for file in (TOP / FOLDER).glob("*.json")]
    names = [*golden, *reference_pages(), *published_schemas()]
    return {name: (TOP / name).read_text(encoding="utf-8") for name in names if (TOP / name).is_file()}


def main() -> None:
    wanted, present = generated(), on_disk()
    for name in present.keys() - wanted.keys():
        (TOP / name).unlink()
        print(f"removed {name}")
    for name, text in wanted.items():
        if present.get(name) != text:
            (TOP / name).parent.mkdir(parents=True, exist_ok=True)
            (TOP / name).write_text(text, encoding="utf-8")
            print(f"wrote {name}")


if __name__ == "__main__":
    main()
