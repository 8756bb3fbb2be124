"""A published client in a process of its own, so that versions do not mix: calls come in and answers go out as JSON.

    python tests/stories/published/process.py FOLDER

FOLDER holds the package. It needs nothing of ours, as the agents that have that client do not either. Each line is
either `{"become": {...}}`, after which a new client made of these arguments takes the calls, or a call of it.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any


def _perform(client: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if name == "track":
        failing = kwargs.pop("failing", None)
        with client.track(*args, **kwargs) as tracked:
            if failing:
                raise ValueError(failing)
        return tracked
    if name == "in_context":
        with client.action_context(args[0]) as context:
            return [context.record_assumption(args[1]), context.update_outcome(**kwargs)]
    if name == "said_in_context":
        with client.action_context(args[0]) as context:
            return context.send_message(*args[1:], **kwargs)
    if name == "wrapped":
        # A language model's client, as far as the published one looks into it.
        llm = SimpleNamespace(messages=SimpleNamespace(create=lambda **_: SimpleNamespace(**kwargs)))
        kwargs["usage"] = SimpleNamespace(**kwargs["usage"])
        return client.wrap_client(llm).messages.create(model=kwargs["model"]).model
    if name == "downloaded":
        file = client.get_attachment(*args)
        return {**file, "data": list(file["data"])}
    return getattr(client, name)(*args, **kwargs)


def _answer(client: Any, call: dict[str, Any]) -> dict[str, Any]:
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            return {"result": _perform(client, call["name"], call["args"], call["kwargs"])}
    except Exception as error:  # noqa: BLE001 - whatever the client raises is what the test looks at
        members = {name: value for name, value in vars(error).items() if not name.startswith("_")}
        return {"raised": {"type": type(error).__name__, "text": str(error), "members": members}}


@cache
def _signing(private_key: str | None) -> dict[str, Any]:
    """As an agent hands its key over."""
    if private_key is None:
        return {}
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    return {"private_key": load_pem_private_key(Path(private_key).read_bytes(), password=None)}


def _serve(folder: str) -> None:
    sys.path.insert(0, folder)
    import dashclaw  # type: ignore[import-not-found]  # it lies in `folder` only

    assert str(Path(dashclaw.__file__).parent.parent) == folder
    client = None
    for line in sys.stdin:
        said = json.loads(line)
        if "become" in said:
            signing = _signing(said["become"].pop("private_key"))
            client = dashclaw.DashClaw(**said["become"], **signing)
            answer: dict[str, Any] = {"result": None}
        else:
            answer = _answer(client, said)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    _serve(*sys.argv[1:])
