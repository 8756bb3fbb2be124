"""Writes what is generated, the reference and diagrams of the documentation and what DESIGN.md shows of the code
included: `make golden`, or `python -m tests.contract.generated`.

Read the difference before you commit it: it is what the users of the API will see.
"""

from functools import cache
from pathlib import Path

from assent.contract.operations import ENDPOINTS
from tests.contract.contract_text import PATH, contract_text
from tests.contract.published_schemas import published_schemas
from tests.contract.reference_pages import reference_pages
from tests.contract.typescript import OPERATIONS, TYPES, operations_source, types_head, types_source
from tests.contract.typescript_secrets import SECRETS, secrets_source
from tests.docs.decisions import decision_index
from tests.docs.design_map import PAGE, PICTURE, design_map, design_page
from tests.docs.diagrams import diagrams
from tests.docs.reference.pages import code_pages

TOP = Path(__file__).parents[2]
HOW = "Run `make golden`, and read the difference: it is what the users of the API will see."


@cache
def generated() -> dict[str, str]:
    """The text of every generated file, by its path from the top of the repository."""
    client = {OPERATIONS: operations_source(), SECRETS: secrets_source()}
    contract = {PATH: contract_text(ENDPOINTS)} | client | reference_pages() | published_schemas()
    design = {PICTURE: design_map(), PAGE: design_page()}
    return contract | code_pages() | diagrams() | decision_index() | design


def on_disk(name: str) -> str:
    """The text of a generated file as it is in the repository now; empty where it is missing."""
    file = TOP / name
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def with_types() -> dict[str, str]:
    """The same and, where Node has their generator, the Node client's types, which take seconds."""
    types = types_source()
    if types is None and not on_disk(TYPES).startswith(types_head()):
        print(f"{TYPES} is of an older document: run `npm install` in sdk/typescript, and `make golden` again")
    return generated() if types is None else generated() | {TYPES: types}


def main() -> None:
    for name, text in with_types().items():
        if on_disk(name) != text:
            (TOP / name).parent.mkdir(parents=True, exist_ok=True)
            (TOP / name).write_text(text, encoding="utf-8")
            print(f"wrote {name}")


if __name__ == "__main__":
    main()
