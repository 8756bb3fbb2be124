"""Which published clients there are, and what says that a test is about some of them."""

from __future__ import annotations

import pytest

from tests.live import PUBLISHED

OLDEST, MIDDLE, NEWEST = VERSIONS = ("2.1.0", "2.9.0", "4.8.0")


def installed(version: str) -> bool:
    return (PUBLISHED / version / "dashclaw" / "__init__.py").is_file()


def only(*versions: str) -> pytest.MarkDecorator:
    """For a test, or a module's `pytestmark`: it is collected for these versions, the others cannot do what it does."""
    return pytest.mark.parametrize("version", versions, indirect=True, scope="module")
