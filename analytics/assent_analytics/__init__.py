"""What governance data adds up to: frames in, frames out. Each number has its one definition here.

`pcaa`, `approvals`, `decisions` and `replay` take the tables as they are served (`client.frame("actions")`) and give
lazy frames; `charts` draws them. The service answers with the same functions that a notebook calls.
"""

import os

from assent_analytics.vectors import processor, sort_with_avx2

sort_with_avx2(os.environ, processor())
