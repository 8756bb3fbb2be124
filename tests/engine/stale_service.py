"""`python -m tests.engine.stale_service`: the service, which does not ask what others have recorded. It shows what the
tests of replicas would see without that."""

from __future__ import annotations

from unittest.mock import patch

from assent_service import serve
from assent_service.store.ledger import Ledger

if __name__ == "__main__":
    with patch.object(Ledger, "current", lambda _: None):
        serve.run()
