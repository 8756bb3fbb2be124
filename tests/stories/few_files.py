"""`python -m tests.stories.few_files`: the service, started with the limit of open files that most systems give."""

from __future__ import annotations

import resource

from assent_service.__main__ import main

FILES = 1_024

if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    raise SystemExit(main())
