"""Who may import whom: the table of the design. DESIGN.md shows it, `test_imports.py` holds the source to it.

A module may always import the standard library and its own part. `assent.errors` and `assent.settings` are parts of
their own beside the folders of the SDK; `assent` itself is the public door, from which the inside takes `__version__`
and the command line whatever it needs. msgspec comes with the contract, whose structs are made of it.
"""

from dataclasses import dataclass, field
from functools import cache

from tests.architecture.sources import modules

CONTRACT = ("assent.contract", "msgspec")


@dataclass(frozen=True)
class Part:
    """What `name` and everything below it may import, at any time and only lazily."""

    name: str
    allowed: tuple[str, ...] = ()
    lazily: tuple[str, ...] = ()
    door: tuple[str, ...] = field(default=())
    """Names that may be taken from `assent` itself."""


CLIENT_STACK = (
    *(
        "assent.client",
        "assent.errors",
        "assent.extras",
        "assent.settings",
        "assent.spool",
        "assent.tally",
        "assent.pcaa",
    ),
    *CONTRACT,
)

# The most specific part counts.
PARTS = (
    Part("assent", lazily=("assent",)),
    # Texts of strangers in normal form, wherever they are compared.
    Part("assent.normal"),
    Part("assent.contract", ("msgspec", "assent.normal")),
    Part("assent.errors", (*CONTRACT, "assent.extras")),
    # How somebody adds a part that is not installed.
    Part("assent.extras"),
    Part("assent.__main__", ("assent.cli",)),
    Part("assent.settings"),
    # What could not be delivered, on the disk; for the client and for hooks, which have no time for more.
    Part("assent.tally"),
    # When a service that does not answer is left alone by who only observes.
    Part("assent.breaker", ("assent.tally",)),
    Part("assent.spool", ("assent.tally",)),
    Part("assent.deciding", CLIENT_STACK),
    Part("assent.granting", CONTRACT),
    # What whoever decides goes by, in the same words on a page and at a terminal.
    Part("assent.arguments", CONTRACT),
    Part("assent.nearest", (*CONTRACT, "assent.arguments")),
    # Where the values of a request came from, in the same words wherever it is shown.
    Part("assent.origins", (*CONTRACT, "assent.flows")),
    Part(
        "assent.proof",
        (*CONTRACT, "cryptography", "assent.pcaa", "assent.destructive", "assent.flows", "assent.origins"),
        lazily=("re2",),
    ),
    # Which goals speak of destruction: guard, backtest and replay read it off the same table.
    Part("assent.destructive", ("assent.destructive", "assent.normal")),
    Part("assent.pcaa", CONTRACT),
    # How an answer is told: for who tells it and for who reads it.
    Part("assent.answers"),
    # Where values come from: for hooks, guard, backtest and replay alike, so little more than the standard library.
    Part("assent.flows", ("assent.normal", "assent.answers")),
    # Read by who has the extra of the service or of the dashboard.
    Part("assent.packs", (*CONTRACT, "yaml")),
    Part(
        "assent.client",
        (*CLIENT_STACK, "assent.answers", "assent.proof", "httpx", "httpcore", "assent.secrets"),
        door=("__version__",),
    ),
    # Facts are joined where they are looked at, by the one definition that notebooks and the service have.
    Part("assent.client.data", (*CLIENT_STACK, "httpx"), lazily=("polars", "pyarrow", "assent_analytics")),
    # A method of the client that begins in a folder which knows the client.
    Part("assent.client.workspace", CLIENT_STACK, lazily=("assent.data",)),
    Part(
        "assent.data",
        (*CLIENT_STACK,),
        lazily=("polars", "duckdb", "yaml", "httpx", "assent_analytics"),
        door=("Client", "AsyncClient"),
    ),
    Part(
        "assent.cli",
        (*CLIENT_STACK, "assent.data", "assent.deciding", "assent.proof", "assent.hooks", "assent.secrets", "typer"),
        lazily=(
            *("assent_service", "assent_dashboard", "assent_analytics.injection", "assent.mcp_proxy", "assent.flows"),
            *("textual", "httpx", "rich"),
        ),
        door=("Client", "AsyncClient", "__version__"),
    ),
    # The full-screen inbox is made of Textual; the commands bring it when it is opened.
    Part(
        "assent.cli.inbox",
        (
            *("assent.cli", "assent.arguments", "assent.deciding", "assent.granting", "assent.nearest"),
            *("assent.origins", *CLIENT_STACK, "textual"),
        ),
        door=("Client",),
    ),
    # What secrets look like, for whatever is shown, sent or stored.
    Part("assent.secrets"),
    # A process of its own for every tool call.
    Part("assent.hooks", ("assent.answers", "assent.secrets", "assent.spool", "assent.tally", "assent.breaker")),
    # The MCP server, made of the official package; the command brings it.
    Part("assent.mcp", (*CLIENT_STACK, "mcp", "mcp_types", "anyio"), door=("AsyncClient", "__version__")),
    # What stands between a host and a server of others; on the plain install.
    Part("assent.mcp_proxy", (*CLIENT_STACK, "assent.governing", "assent.secrets", "httpx", "h11")),
    # Any callable, and the frameworks' tools: on the client, with the hooks' table.
    Part(
        "assent.governing",
        (*CLIENT_STACK, "assent.breaker", "assent.hooks", "assent.proof", "assent.answers", "assent.secrets"),
    ),
    Part("assent.adapters", (*CLIENT_STACK, "assent.governing")),
    # The service's own rules without its server, for tests of agents.
    Part(
        "assent.testing",
        (
            *CLIENT_STACK,
            "assent.flows",
            "assent.governing",
            "assent.proof",
            "assent.secrets",
            "httpx",
            "pytest",
            "assent_service",
        ),
        lazily=("assent.testing",),
        door=("Client", "AsyncClient"),
    ),
    Part(
        "assent_analytics",
        (
            *CONTRACT,
            "assent.answers",
            "assent.destructive",
            "assent.flows",
            "polars",
            "duckdb",
            "numpy",
            "threadpoolctl",
        ),
    ),
    # A classifier that somebody brings has its libraries with it, and they are loaded when it is set.
    Part("assent_analytics.injection", ("assent_analytics.injection", "re2")),
    Part("assent_analytics.charts", (*CONTRACT, "polars", "duckdb", "assent_analytics", "altair")),
    Part(
        "assent_service",
        (
            *CONTRACT,
            "assent.proof",
            "assent.pcaa",
            "assent.packs",
            "assent.secrets",
            "assent.destructive",
            "assent.flows",
            "assent.extras",
            "assent_analytics",
            # What runs it, what keeps its rows, what reads policies, and what calls webhooks.
            *(
                "litestar",
                "uvicorn",
                "uvloop",
                "httptools",
                "duckdb",
                "polars",
                "pyarrow",
                "re2",
                "yaml",
                "httpx",
                "cryptography",
            ),
        ),
        door=("__version__",),
    ),
    Part(
        "assent_service.telemetry",
        ("assent_service", *CONTRACT, "assent.secrets", "assent.extras", "litestar", "prometheus_client"),
    ),
    # These two run in the exporter's process; the service never has OpenTelemetry in it.
    Part("assent_service.telemetry.otlp", ("assent_service", "opentelemetry")),
    Part("assent_service.telemetry.exporter", ("assent_service", "msgspec", "opentelemetry")),
    # Runs in a process of its own for each message; whoever has the extra brings apprise.
    Part("assent_service.core.notifier", ("assent_service", *CONTRACT), lazily=("apprise", "requests")),
    # The log in PostgreSQL; whoever has the extra brings it.
    Part("assent_service.store.postgresql", ("assent_service", *CONTRACT, "assent.proof", "psycopg")),
    Part(
        "assent_dashboard",
        # Streamlit runs on Starlette and uvicorn; the sign-in is a page of theirs.
        ("assent", "msgspec", "assent_analytics", "streamlit", "altair", "polars", "starlette", "uvicorn"),
    ),
)


def part_of(name: str) -> Part:
    """The most specific part that a module belongs to."""
    return max((part for part in PARTS if within(name, part.name)), key=lambda part: len(part.name))


def within(name: str, part: str) -> bool:
    return name == part or name.startswith(part + ".")


# Inside the service

# What every noun stands on, each on those before it: time, refusals, memory and threads; the log and its tables; calls,
# routes and rows. The store knows nothing of requests or of who makes them.
SHARED = ("assent_service.base", "assent_service.store", "assent_service.core")

WINGS = {
    # Whose nouns a wing may stand on, beside its own.
    "people": (),
    "control": ("people",),
    "exchange": ("people", "control"),
    "evidence": ("people", "control", "exchange"),
    "analysis": ("people", "control", "exchange", "evidence"),
}


@cache
def nouns() -> set[str]:
    """The packages and modules in the wings of the service, and the packages beside the wings that are not shared."""
    names = {m.name: m.file.name == "__init__.py" for m in modules() if m.name.startswith("assent_service.")}
    inside = {name for name in names if name.count(".") == 2 and name.split(".")[1] in WINGS}
    beside = {name for name in names if names[name] and name.count(".") == 1 and name.split(".")[1] not in WINGS}
    return inside | beside - set(SHARED)
