"""Calls of other tools than the shell, and all groups together."""

from __future__ import annotations

from tests.vectors.hooks.kinds import ALLOW, BLOCK, FOLDER, HOME, Tool
from tests.vectors.hooks.ordinary import ORDINARY
from tests.vectors.hooks.risky import RISKY

SHELLS = (*ORDINARY, *RISKY)

FILES = tuple(f"src/module{number}.py" for number in range(12))
TOOLS = (
    Tool(
        kind="file_read",
        band=(5, 5),
        verdict=ALLOW,
        calls=(
            *tuple(("Read", {"file_path": f"{FOLDER}/{name}"}) for name in FILES),
            ("read_file", {"path": "README.md"}),
            ("NotebookRead", {"notebook_path": f"{FOLDER}/a.ipynb"}),
        ),
    ),
    Tool(
        kind="file_write",
        band=(20, 20),
        verdict=ALLOW,
        calls=(
            *tuple(
                ("Write" if number % 2 else "Edit", {"file_path": f"{FOLDER}/{name}", "content": "rm -rf /"})
                for number, name in enumerate(FILES)
            ),
            ("MultiEdit", {"file_path": f"{FOLDER}/a.py", "edits": []}),
            ("apply_patch", {"input": "*** Begin Patch\n*** Update File: src/a.py\n*** End Patch"}),
            ("apply_patch", {"command": ["apply_patch", "*** Begin Patch\n*** Add File: b.py\n+x\n*** End Patch"]}),
        ),
    ),
    Tool(
        kind="file_read",
        band=(70, 70),
        verdict=BLOCK,
        sensitive=("credentials",),
        calls=(
            ("Read", {"file_path": f"{HOME}/.ssh/id_ed25519"}),
            ("Read", {"file_path": "~/.aws/credentials"}),
            ("read_file", {"path": "../.kube/config"}),
            ("Read", {"file_path": f"{FOLDER}/certs/tls.key"}),
        ),
    ),
    Tool(
        kind="file_read",
        band=(70, 70),
        verdict=BLOCK,
        sensitive=("secrets",),
        calls=(
            ("Read", {"file_path": f"{FOLDER}/.env"}),
            ("Read", {"file_path": f"{FOLDER}/src/../.env.local"}),
            ("Read", {"file_path": "/proc/self/environ"}),
        ),
    ),
    Tool(
        kind="file_read",
        band=(70, 70),
        verdict=BLOCK,
        sensitive=("governance",),
        calls=(("Read", {"file_path": f"{HOME}/.config/assent/hooks/claude-1.json"}),),
    ),
    Tool(
        kind="file_write",
        band=(70, 70),
        verdict=ALLOW,
        reversible=False,
        sensitive=("assistant settings",),
        calls=(
            ("Write", {"file_path": f"{HOME}/.claude/settings.json", "content": "{}"}),
            ("Edit", {"file_path": f"{FOLDER}/.claude/settings.local.json"}),
            ("Write", {"file_path": f"{FOLDER}/.codex/hooks.json"}),
            ("Write", {"file_path": f"{FOLDER}/.mcp.json"}),
        ),
    ),
    Tool(
        kind="file_write",
        band=(70, 70),
        verdict=ALLOW,
        reversible=False,
        sensitive=("start-up files",),
        calls=(("Write", {"file_path": "~/.bashrc"}), ("Edit", {"file_path": f"{HOME}/.zshrc"})),
    ),
    Tool(
        kind="file_write",
        band=(70, 70),
        verdict=ALLOW,
        reversible=False,
        sensitive=("continuous integration",),
        calls=(("Write", {"file_path": f"{FOLDER}/.github/workflows/ci.yml"}),),
    ),
    Tool(
        kind="file_read",
        band=(5, 5),
        verdict=ALLOW,
        calls=(
            ("Read", {"file_path": f"{FOLDER}/.github/workflows/ci.yml"}),
            ("Read", {"file_path": f"{FOLDER}/.env.example"}),
            ("Read", {"file_path": f"{FOLDER}/src/token.ts"}),
        ),
    ),
    Tool(
        kind="file_read",
        band=(30, 30),
        verdict=ALLOW,
        calls=(("Read", {"file_path": "/opt/other/a.py"}), ("Read", {"file_path": "../other/a.py"})),
    ),
    Tool(
        kind="file_write",
        band=(60, 60),
        verdict=ALLOW,
        calls=(("Write", {"file_path": "../other/a.py"}), ("Write", {"file_path": f"{HOME}/other/a.py"})),
    ),
    Tool(kind="file_write", band=(20, 20), verdict=ALLOW, calls=(("Write", {"file_path": "/var/tmp/scratch.txt"}),)),
    Tool(
        kind="file_search",
        band=(5, 5),
        verdict=ALLOW,
        calls=(
            ("Glob", {"pattern": "**/*.py"}),
            ("Grep", {"pattern": "TODO", "path": f"{FOLDER}/src"}),
            ("LS", {"path": FOLDER}),
            ("list_dir", {"path": "."}),
        ),
    ),
    Tool(
        kind="network",
        band=(30, 30),
        verdict=ALLOW,
        calls=(
            ("WebFetch", {"url": "https://docs.example.com/a?token=secret", "prompt": "read"}),
            ("WebSearch", {"query": "python shlex"}),
            ("web_search", {"query": "x"}),
        ),
    ),
    Tool(
        kind="plan",
        band=(0, 0),
        verdict=ALLOW,
        calls=(("TodoWrite", {"todos": []}), ("ExitPlanMode", {"plan": "do it"}), ("update_plan", {"plan": []})),
    ),
    Tool(kind="agent", band=(30, 30), verdict=ALLOW, calls=(("Task", {"description": "look", "prompt": "rm -rf /"}),)),
    Tool(kind="tool", band=(30, 30), verdict=ALLOW, calls=(("SomethingNew", {"a": 1}), ("Skill", {"command": "x"}))),
    Tool(
        kind="mcp",
        band=(20, 20),
        verdict=ALLOW,
        calls=tuple(
            (f"mcp__{server}__{name}", {})
            for server in ("github", "jira", "files")
            for name in ("get_item", "list_items", "searchCode", "read-file")
        ),
    ),
    Tool(
        kind="mcp",
        band=(45, 45),
        verdict=ALLOW,
        calls=tuple(
            (f"mcp__{server}__{name}", {}) for server in ("github", "jira") for name in ("createIssue", "edit")
        ),
    ),
    Tool(
        kind="mcp",
        band=(70, 70),
        verdict=ALLOW,
        reversible=False,
        calls=tuple(
            (f"mcp__{server}__{name}", {})
            for server in ("github", "stripe")
            for name in ("delete_repo", "mergePullRequest", "DELETE_ALL", "refund-charge")
        ),
    ),
    Tool(
        kind="mcp",
        band=(55, 55),
        verdict=ALLOW,
        reversible=False,
        calls=(("mcp__slack__postMessage", {}), ("mcp__mail__send_email", {"body": "x"})),
    ),
    Tool(kind="mcp", band=(40, 40), verdict=ALLOW, calls=(("mcp__odd__frobnicate", {}), ("mcp__odd", {}))),
    Tool(
        kind="mcp", band=(95, 95), verdict=BLOCK, reversible=False, calls=(("mcp__desk__run", {"command": "rm -rf ~"}),)
    ),
    Tool(
        kind="mcp",
        band=(70, 70),
        verdict=BLOCK,
        sensitive=("credentials",),
        calls=(("mcp__files__read_file", {"path": f"{HOME}/.ssh/id_rsa"}),),
    ),
)
