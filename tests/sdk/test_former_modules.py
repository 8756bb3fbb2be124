"""Modules of the contract that stand in a wing are found under their names of before, once with a warning. Pure."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

import assent.contract


@pytest.mark.parametrize("name", ["backtest", "guard", "keys", "messages", "proofs"])
def test_a_module_is_found_by_its_former_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, f"assent.contract.{name}", raising=False)
    told = rf"assent\.contract\.{name} is assent\.contract\.\w+\.{name} now; .* until \d{{4}}-\d\d-\d\d"
    with pytest.warns(DeprecationWarning, match=told):
        former = importlib.import_module(f"assent.contract.{name}")
    [file] = Path(assent.contract.__file__ or "").parent.glob(f"*/{name}.py")
    assert former is importlib.import_module(f"assent.contract.{file.parent.name}.{name}")


def test_what_was_never_there_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("assent.contract.nothing")
