"""What a command can be meant to do, with how risky that is (0 to 100), whether it can be undone, and what it touches.

The table is the whole of it: a new kind of command is a line here, and `assent.hooks.commands` says which programs have
which intent.
"""


class Intent:
    """`risk` is what the agent's own estimate begins with; policies see `name` in `metadata.intents`."""

    __slots__ = ("name", "reversible", "risk", "systems")

    def __init__(self, name: str, risk: int, reversible: bool, systems: "tuple[str, ...]") -> None:
        self.name = name
        self.risk = risk
        self.reversible = reversible
        self.systems = systems


INTENTS = {
    intent.name: intent
    for intent in (
        Intent("read", 5, True, ()),
        Intent("build", 15, True, ()),
        Intent("write", 20, True, ("filesystem",)),
        Intent("other", 25, True, ()),
        Intent("network", 35, True, ("network",)),
        Intent("version_control", 25, True, ("git",)),
        Intent("run_code", 35, True, ()),
        Intent("install", 45, True, ("packages",)),
        Intent("process", 45, False, ("processes",)),
        Intent("delete", 50, False, ("filesystem",)),
        Intent("publish_code", 50, False, ("git", "network")),
        Intent("database", 45, True, ("database",)),
        Intent("cloud", 55, True, ("cloud",)),
        Intent("remote_shell", 60, False, ("network", "remote host")),
        Intent("upload", 65, False, ("network",)),
        Intent("rewrite_history", 65, False, ("git",)),
        Intent("privilege", 70, False, ("system",)),
        Intent("persistence", 70, True, ("system",)),
        Intent("system", 70, False, ("system",)),
        Intent("deploy", 70, False, ("production",)),
        Intent("read_secrets", 70, True, ("secrets",)),
        Intent("unreadable", 70, False, ()),
        Intent("destroy_data", 85, False, ("database",)),
        Intent("run_download", 85, False, ("network",)),
        Intent("destroy_infrastructure", 90, False, ("production", "cloud")),
        Intent("wipe", 95, False, ("filesystem",)),
        Intent("destroy_disk", 95, False, ("disk",)),
    )
}
