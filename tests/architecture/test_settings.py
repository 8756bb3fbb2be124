"""Every setting says what it means where it is declared, and so does every environment variable that the code reads."""

import re
from typing import get_type_hints

import msgspec

from assent import settings as client
from assent.hooks import settings as hooks
from assent_dashboard import settings as dashboard
from assent_service.core.settings import ENVIRONMENT, SECRETS, Settings, Thresholds
from tests.architecture.sources import TOP, modules
from tests.docs.reference.settings import meaning_of, settings_page
from tests.every import every

FIELDS = msgspec.structs.fields(Settings)
VARIABLE = re.compile(r"ASSENT_[A-Z]+(?:_[A-Z]+)*")
DECLARED = {*ENVIRONMENT, *client.VARIABLES, *hooks.VARIABLES, *dashboard.VARIABLES}


@every("struct", (Settings, Thresholds), ids=lambda struct: struct.__name__)
def test_a_setting_says_what_it_means(struct: type[msgspec.Struct]) -> None:
    for name, hint in get_type_hints(struct, include_extras=True).items():
        assert len(meaning_of(hint)) > 3, name


def test_a_setting_is_in_the_reference_with_its_default_and_its_variable() -> None:
    rows = {line.split("`")[1]: line for line in settings_page().splitlines() if line.startswith("| `")}
    assert {field.name for field in FIELDS} <= rows.keys()
    assert rows["port"].startswith("| `port`<br>`ASSENT_PORT` | `8484` | 0 to 65535 |")
    assert rows["metrics"].startswith("| `metrics`<br>`ASSENT_METRICS` | `key` | `key`, `open`, `off` |")
    assert rows["high_impact"].startswith("| `high_impact` | `70` | `90` |")


def test_every_environment_variable_is_declared_and_read() -> None:
    texts = "\n".join(module.file.read_text(encoding="utf-8") for module in modules())
    assert set(VARIABLE.findall(texts)) - DECLARED == set(), "read, but not declared where the reference takes it from"
    # Those of the service are read by their declaration; the others have a place beside it.
    assert [name for name in DECLARED - ENVIRONMENT.keys() if texts.count(f'"{name}"') < 2] == [], "nothing reads these"


def test_the_readme_names_no_variable_that_nothing_reads() -> None:
    assert set(VARIABLE.findall((TOP / "README.md").read_text(encoding="utf-8"))) <= DECLARED


def test_every_variable_leads_to_a_setting() -> None:
    assert set(ENVIRONMENT.values()) <= {field.name for field in FIELDS}


def test_what_is_named_a_secret_is_kept_out_of_texts_by_its_value() -> None:
    assert {field.name for field in FIELDS if field.name.endswith(("_key", "_secret", "_password"))} == set(SECRETS)
