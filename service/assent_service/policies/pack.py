"""The pack of policies that comes with the service; `assent.packs` reads packs."""

from importlib.resources import files

from assent.contract.policies import PolicyDraft
from assent.packs import parse_pack


def default_pack() -> list[PolicyDraft]:
    """The pack a new organization starts with, read from the file beside this module."""
    text = files("assent_service.policies").joinpath("default_pack.yaml").read_text("utf-8")
    return parse_pack(text)
