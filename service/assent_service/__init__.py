"""The service: guard, evidence, and the tables that tell about them."""

import os

from assent_service.base.later import later

# Polars reads this when it is first imported, which is after this line: a core is left to guard.
os.environ.setdefault("POLARS_MAX_THREADS", str(max(1, (os.cpu_count() or 2) - 1)))
later("numpy", "polars")
