"""What somebody pressed: carrying it out, and saying once what came of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from assent.errors import ApiError, AssentError, ConnectionFailed, Forbidden, ServerError, Unauthorized
from assent_dashboard.views import words

T = TypeVar("T")


def attempt(do: Callable[[], T], look: str = "close this and look") -> tuple[T | None, str | None]:
    """What `do` gives and None; or None and why not, for the person who pressed. An answer that was lost says nothing
    of what was done, so `look` says how to find out."""
    try:
        return do(), None
    except ConnectionFailed as error:
        doubt = f" It may have been carried out: {look}." if error.uncertain else " Nothing was changed."
        return None, f"The service does not answer.{doubt}"
    except Unauthorized:
        return None, "Your key was revoked. Sign in with another one."
    except Forbidden as error:
        return None, f"Your key may not do this. {error.detail}"
    except ApiError as error:
        places = "".join(f" {each.place}: {each.message}." for each in error.errors if each.message not in error.detail)
        lost = isinstance(error, ServerError)
        known = f"Whether it was carried out is not known: {look}." if lost else "Nothing was changed."
        return None, f"{known} {error.detail}{places}"
    except (AssentError, ValueError) as error:
        return None, str(error).splitlines()[0]
    except RuntimeError:  # the client was closed: somebody signed out in another tab
        return None, "Your session has ended. Sign in again; nothing was changed."


REPORT = "assent_told"


def report(did: str, problem: str | None) -> None:
    """`did` says what was done; `problem` why it was not."""
    st.session_state[REPORT] = (True, did) if problem is None else (False, words.plain(problem))


def draw_report() -> None:
    """A refusal stays on the page until the next press."""
    done, said = st.session_state.pop(REPORT, (True, None))
    if said is None:
        return
    if done:
        st.toast(said, icon=":material/check_circle:")
    else:
        st.error(said, icon=":material/error:")
