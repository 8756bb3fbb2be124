"""What things are called: nouns that somebody would search for, and a glossary that holds. Pure."""

import ast
import re

from tests.architecture.sources import TOP, Module, modules
from tests.every import every

NOT_NAMES = {
    # Participles without their noun, and metaphors that nobody would search for.
    *("told", "said", "stored", "given", "shown", "seen", "kept", "around"),
    *("ear", "herald", "vigil", "courier", "echoes", "mint", "deed", "deeds", "visit", "office"),
}
PUBLISHED = {"RecommendationSaid"}
"""Names that the API document has."""
GLOSSARY = TOP / "docs" / "reference" / "glossary.md"
MOST = 40


def words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)}


@every("module", modules, ids=lambda module: module.name)
def test_a_module_and_its_classes_are_named_by_what_they_hold(module: Module) -> None:
    name, tree = module.name, module.tree
    wrong = {part for part in name.split(".") if words(part) <= NOT_NAMES}
    wrong |= {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and words(node.name) & NOT_NAMES and node.name not in PUBLISHED
    }
    assert not wrong, f"{name}: {', '.join(sorted(wrong))} says nothing to who searches"


def rows() -> list[list[str]]:
    lines = GLOSSARY.read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")][1:]


def test_the_glossary_is_short_and_sorted_and_says_each_term_once() -> None:
    terms = [row[0] for row in rows()]
    assert terms == sorted(set(terms))
    assert 20 < len(terms) <= MOST


def test_the_places_of_the_glossary_are_there() -> None:
    service, contract = TOP / "service" / "assent_service", TOP / "sdk" / "assent"
    places = [re.sub("`", "", row[2]) for row in rows()]
    missing = {
        place
        for place in places
        if not any((base / place).exists() for base in (service, contract, service.parent, TOP))
        and not (service / f"{place}.py").exists()
        and not (TOP / place).exists()
    }
    assert not missing, f"the glossary names places that are not there: {', '.join(sorted(missing))}"
