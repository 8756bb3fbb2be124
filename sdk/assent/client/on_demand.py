"""The modules of the network: their names are here from the start, each is imported when something of it is first used.

    from assent.client.on_demand import httpx      # in place of `import httpx`

So `from assent import Client` does not wait for them, and a program that only blocks never loads asyncio. A client uses
httpx as soon as it is made: that is waited for where a program begins, not in a call, where a timeout runs or an event
loop stands still. What a module does with one of them while it is imported itself (a base class, a default) would bring
it along at once; `tests/sdk/test_import.py` holds what may be there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["asyncio", "httpx", "socket", "ssl"]

if TYPE_CHECKING:
    import asyncio
    import socket
    import ssl

    import httpx
else:
    from importlib import import_module

    class _OnDemand:
        def __init__(self, name: str) -> None:
            self._name, self._module = name, None

        def __getattr__(self, name: str) -> object:
            if self._module is None:
                self._module = import_module(self._name)
            return getattr(self._module, name)

    asyncio, httpx, socket, ssl = (_OnDemand(name) for name in __all__)
