"""`Client` and `AsyncClient`: every operation, run by blocking or by awaiting."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable
from copy import copy
from typing import TYPE_CHECKING, Any, Self, TypedDict, TypeVar, Unpack

from msgspec.structs import replace

from assent.client.ambient import Ambient
from assent.client.answer import bare
from assent.client.connections import (
    MAX_CONNECTIONS,
    AsyncConnections,
    Connections,
    Network,
    in_process,
    limits,
    proxied,
    trust,
)
from assent.client.context import AsyncContexts, Contexts
from assent.client.http_response import show_calls
from assent.client.nouns import Nouns
from assent.client.on_demand import httpx, ssl
from assent.client.outbox import Outbox
from assent.client.request import Line, headers_of
from assent.client.retry import RETRIES
from assent.client.session import Binding, Session, begun, session_of
from assent.client.transport import AsyncDriver, Driver, sleep
from assent.client.workspace import AsyncWorkspaces, Workspaces
from assent.settings import ClientSettings
from assent.spool import fingerprint

if TYPE_CHECKING:
    from assent.proof.private_key import CheckedKey, Signer


class Options(TypedDict, total=False):
    """What `with_options` changes; each is as in `Client`."""

    timeout: float
    retries: int | None
    retry_seconds: float
    agent_id: str | None
    session: Session | str | None


class Operations(Nouns):
    """Everything a client can be asked."""

    _line: Line
    _owns: bool = True

    def _introduce(
        self,
        settings: ClientSettings,
        agent_name: str | None,
        timeout: float,
        retries: int | None,
        max_connections: int | None,
        ambient: Ambient,
        private_key: CheckedKey | None,
    ) -> Line:
        self.base_url = bare(settings.base_url)
        self.agent_id, self.agent_name = settings.agent_id, agent_name
        self.ambient = ambient
        self.signer = None if private_key is None else _signer(private_key)
        if settings.debug:
            show_calls()
        session = None if settings.session_id is None else Session(settings.session_id, _outer(settings))
        headers = headers_of(settings.api_key)
        outbox = Outbox(settings.spool, settings.base_url, settings.api_key, settings.spool_bytes)
        return Line(
            base_url=settings.base_url,
            headers=headers,
            timeout=timeout,
            retries=retries,
            accept_unbound=settings.accept_unbound_answers,
            max_connections=max_connections,
            retry_seconds=settings.retry_seconds,
            outbox=outbox,
            session=session,
        )

    @property
    def own_session(self) -> Session | None:
        """The session that the client was given, by `with_options` or by its environment."""
        return self._line.session

    def session(self, session_id: str | None = None) -> Binding:
        """A session of the agent's work, for `with` and `async with`: what is done inside carries its id, and that of
        the session around it, by this client and any other, by governed functions and adapters, in tasks that are begun
        inside. Threads are handed `session.bind(function)`, other processes `session.environment()`. Give the id of one
        run, or none for one that is made up; one that is begun again goes on.

        Raises ValueError for what is no id, and for a session that would be inside of itself.
        """
        made = f"session-{self.ambient.new_key()}" if session_id is None else session_id
        return Binding(begun(made, self._line.session))

    @property
    def key_fingerprint(self) -> str:
        """Tells the key of this client from others, and nothing else of it."""
        return fingerprint(self._line.headers.get("x-api-key"))

    @property
    def retries(self) -> int:
        """Attempts after the first, for calls that carry no idempotency key."""
        return RETRIES if self._line.retries is None else self._line.retries

    def with_options(self, **options: Unpack[Options]) -> Self:
        """The same client with other options, on the same connections; closing it leaves them open. `agent_id` is the
        agent that it speaks for, `session` the session of what it does, in whichever thread.

        Raises TypeError for a name that is no option, ValueError for a value that cannot be.
        """
        unknown = options.keys() - Options.__annotations__.keys()
        if unknown:
            known = ", ".join(sorted(Options.__annotations__))
            raise TypeError(f"with_options() has no option {sorted(unknown)[0]!r}; it takes {known}")
        changed = dict[str, Any](options)
        agent_id = changed.pop("agent_id", self.agent_id)
        if "session" in changed:
            changed["session"] = session_of(changed["session"])
        twin = copy(self)
        vars(twin).update(agent_id=agent_id, _line=replace(self._line, **changed), _owns=False)
        return twin

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self.base_url!r}, agent_id={self.agent_id!r})"


class Client(Driver, Operations, Contexts, Workspaces):
    """Asks and reports, blocking. Safe to share between threads, and to use on after a fork.

    `base_url`, `api_key` and `agent_id` default to ASSENT_BASE_URL (else http://127.0.0.1:8484), ASSENT_API_KEY and
    ASSENT_AGENT_ID. `timeout` is in seconds, for each attempt; the answer to an analysis is waited for two minutes at
    least. Calls that may be repeated without harm are tried again: those that carry an idempotency key (guard,
    creations, outcomes) for `retry_seconds` (ASSENT_RETRY_SECONDS, else 20), readings three times; `retries` is how
    many attempts after the first any of them has at most. Outcomes that still cannot be delivered go to a folder of
    this machine (`spool`, else ASSENT_SPOOL), from which the next call that succeeds delivers; `off` keeps and delivers
    none. `http_client` (or `http`) is an httpx.Client to go through (its base URL counts where `base_url` is not
    given); it is not closed with this client, and InheritedConnections is raised where it is used in another process
    than before (or another event loop). Otherwise each process, and with AsyncClient each event loop, has connections
    of its own, `max_connections` at most: through `proxy`, to whoever one of `certificates` vouches for (a file or
    folder of authorities, or an ssl.SSLContext); what is not given is as HTTPS_PROXY, NO_PROXY and SSL_CERT_FILE say,
    unless `trust_env` is false. A success that does not carry the id of its request is an UnboundAnswer; with
    `accept_unbound_answers` (ASSENT_ACCEPT_UNBOUND_ANSWERS) it need not carry one. `private_key` is the agent's own (a
    PEM, its path, or a key of `cryptography`): actions are then created with its signature, over the RFC 8785 form of
    the body. `say` gets the lines meant for a person. `ambient` and `sleep` are for tests.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        agent_id: str | None = None,
        *,
        agent_name: str | None = None,
        timeout: float = 30.0,
        retries: int | None = None,
        retry_seconds: float | None = None,
        private_key: CheckedKey | None = None,
        http: httpx.Client | None = None,
        http_client: httpx.Client | None = None,
        proxy: str | httpx.Proxy | None = None,
        certificates: str | os.PathLike[str] | ssl.SSLContext | None = None,
        trust_env: bool = True,
        max_connections: int = MAX_CONNECTIONS,
        accept_unbound_answers: bool | None = None,
        spool: str | None = None,
        say: Callable[[str], object] = print,
        ambient: Ambient | None = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        through = _given(http, http_client, proxy, certificates)
        given = base_url or _own_address(through)
        settings = ClientSettings.from_environment(
            base_url=given,
            api_key=api_key,
            agent_id=agent_id,
            accept_unbound_answers=accept_unbound_answers,
            retry_seconds=retry_seconds,
            spool=spool,
        )
        ambient = ambient or Ambient()
        limit = max_connections if through is None else None
        line = self._introduce(settings, agent_name, timeout, retries, limit, ambient, private_key)
        network = _network(max_connections, proxy, certificates, trust_env, line.base_url)
        super().__init__(Connections(through, network), line, say=say, ambient=ambient, sleep=sleep)

    def close(self) -> None:
        """Close the connections, unless they were handed in."""
        if self._owns:
            self._connections.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncClient(AsyncDriver, Operations, AsyncContexts, AsyncWorkspaces):
    """Asks and reports, awaiting. The parameters are those of `Client`; `http_client` is an httpx.AsyncClient."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        agent_id: str | None = None,
        *,
        agent_name: str | None = None,
        timeout: float = 30.0,
        retries: int | None = None,
        retry_seconds: float | None = None,
        private_key: CheckedKey | None = None,
        http: httpx.AsyncClient | None = None,
        http_client: httpx.AsyncClient | None = None,
        proxy: str | httpx.Proxy | None = None,
        certificates: str | os.PathLike[str] | ssl.SSLContext | None = None,
        trust_env: bool = True,
        max_connections: int = MAX_CONNECTIONS,
        accept_unbound_answers: bool | None = None,
        spool: str | None = None,
        say: Callable[[str], object] = print,
        ambient: Ambient | None = None,
        sleep: Callable[[float], Awaitable[object]] = sleep,
    ) -> None:
        through = _given(http, http_client, proxy, certificates)
        given = base_url or _own_address(through)
        settings = ClientSettings.from_environment(
            base_url=given,
            api_key=api_key,
            agent_id=agent_id,
            accept_unbound_answers=accept_unbound_answers,
            retry_seconds=retry_seconds,
            spool=spool,
        )
        ambient = ambient or Ambient()
        limit = max_connections if through is None else None
        line = self._introduce(settings, agent_name, timeout, retries, limit, ambient, private_key)
        network = _network(max_connections, proxy, certificates, trust_env, line.base_url)
        super().__init__(AsyncConnections(through, network), line, say=say, ambient=ambient, sleep=sleep)

    async def close(self) -> None:
        """Close the connections, unless they were handed in."""
        if self._owns:
            await self._connections.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _signer(private_key: CheckedKey) -> Signer:
    # Brought in by whoever signs; the others need not wait for it.
    from assent.proof.private_key import Signer

    return Signer(private_key)


def _own_address(http: httpx.Client | httpx.AsyncClient | None) -> str | None:
    return str(http.base_url) or None if http is not None else None


H = TypeVar("H", "httpx.Client", "httpx.AsyncClient")


def _given(http: H | None, http_client: H | None, proxy: object, certificates: object) -> H | None:
    """The caller's own http client. Raises TypeError for two of them, and for what is its own affair."""
    if http is not None and http_client is not None:
        raise TypeError("http and http_client are two names for the same; give http_client")
    found = http_client if http is None else http
    if found is not None and (proxy is not None or certificates is not None):
        raise TypeError("proxy and certificates are up to the http client that was given; give them to that one")
    return found


def _network(
    max_connections: int,
    proxy: str | httpx.Proxy | None,
    certificates: str | os.PathLike[str] | ssl.SSLContext | None,
    trust_env: bool,
    base_url: str,
) -> Network:
    return Network(
        limits=limits(max_connections),
        verify=trust(certificates, base_url),
        transport=in_process(base_url),
        proxy=proxied(proxy),
        trust_env=trust_env,
    )


def _outer(settings: ClientSettings) -> Session | None:
    return None if settings.parent_session_id is None else Session(settings.parent_session_id)
