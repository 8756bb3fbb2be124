"""`python -m tests.contested_service`: the service, of which all that it records is overtaken once (`contested`), or
each time as long as the file is there that BUSY names."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from unittest.mock import patch

from assent_service import serve
from assent_service.app import build
from tests.contested import EveryOther, WhileThereIs, contesting

if __name__ == "__main__":
    busy = os.environ.get("BUSY")
    overtakes = EveryOther() if busy is None else WhileThereIs(Path(busy))
    with contesting(overtakes) as open_log, patch.object(serve, "build", partial(build, open_log=open_log)):
        serve.run()
