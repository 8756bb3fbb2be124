"""`python -m tests.engine.newer_service`: the service as a later program would be, which needs the next version of the
schema."""

from __future__ import annotations

from unittest.mock import patch

from assent_service.__main__ import main
from assent_service.store.postgresql import schema

if __name__ == "__main__":
    with patch.object(schema, "VERSION", schema.VERSION + 1):
        raise SystemExit(main())
