"""Every type that is given to msgspec has been prepared: see `assent.contract.prepared`."""

import ast

from tests.architecture.sources import Module, modules
from tests.every import every

PLAIN = {"str", "int", "float", "bool", "bytes", "object", "dict", "list", "tuple", "Any", "None"}
"""Nothing has to be built for what is made of these."""
PLACES = {
    "msgspec.convert": (1, "type"),
    "msgspec.json.decode": (None, "type"),
    "msgspec.msgpack.decode": (None, "type"),
    "msgspec.json.Decoder": (0, "type"),
    "msgspec.msgpack.Decoder": (0, "type"),
}
"""Where each takes its type: by place, and by name."""

ALONE = ("assent.contract.prepared", "assent_service.telemetry.exporter")
"""The place itself, and a process with a single thread that knows nothing of the contract."""


def types_given(tree: ast.Module) -> list[ast.expr]:
    found = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        place, name = PLACES.get(ast.unparse(call.func), (None, ""))
        if place is not None and len(call.args) > place:
            found.append(call.args[place])
        found += [keyword.value for keyword in call.keywords if keyword.arg == name]
    return found


def plain(kind: ast.expr) -> bool:
    names = {node.id for node in ast.walk(kind) if isinstance(node, ast.Name)}
    return names <= PLAIN


def prepared(kind: ast.expr) -> bool:
    return isinstance(kind, ast.Call) and ast.unparse(kind.func) == "prepared"


@every("module", modules, ids=lambda module: module.name)
def test_what_msgspec_decodes_is_prepared(module: Module) -> None:
    if module.name in ALONE:
        return
    bare = [f"{module.place}:{kind.lineno}" for kind in types_given(module.tree) if not (plain(kind) or prepared(kind))]
    assert not bare, f"wrap in prepared(): {bare}"


def test_the_rule_sees_what_is_bare() -> None:
    bad = "msgspec.convert(x, Thing)\nmsgspec.json.decode(x, type=list[Thing])\nmsgspec.json.Decoder(Thing)"
    good = "msgspec.convert(x, prepared(Thing))\nmsgspec.json.decode(x)\nmsgspec.json.decode(x, type=dict[str, Any])"
    assert [plain(kind) or prepared(kind) for kind in types_given(ast.parse(bad))] == [False, False, False]
    assert all(plain(kind) or prepared(kind) for kind in types_given(ast.parse(good)))
