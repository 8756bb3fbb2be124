"""`python -m assent_service`: the service alone, from the settings."""

from __future__ import annotations

import sys

from assent_service.core.settings import SettingsError
from assent_service.serve import run
from assent_service.store.failures import LogError


def main() -> int:
    """The exit code: 0 after a signal, 1 for a data folder that cannot be used, 2 for settings that cannot."""
    try:
        run()
    except LogError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except (SettingsError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
