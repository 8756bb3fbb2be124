"""The dialogs of the settings page, of which one at most is open: are you sure, and a secret that is shown once.

Keys: `confirm` and `cancel` are the buttons of every dialog, `reason` the words that one may ask for, `done` closes one
that shows a secret.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import streamlit as st

from assent_dashboard.views import words
from assent_dashboard.views.answers import forget
from assent_dashboard.views.press import attempt

PAGE = "settings"
STATE, SAID = "assent_settings_dialog", "assent_settings_said"
CONFIRM, CANCEL, DONE, REASON = "confirm", "cancel", "done", "reason"
LONGEST_REASON = 1000


class Dialog(Protocol):
    @property
    def title(self) -> str: ...

    def draw(self) -> None:
        """Draw what it asks and what came of it; `end` when it is over."""


def present() -> Dialog | None:
    """The dialog that is open."""
    found: Dialog | None = st.session_state.get(STATE)
    return found


def begin(dialog: Dialog) -> None:
    st.session_state[STATE] = dialog
    st.session_state.pop(REASON, None)


def end(said: str | None = None) -> None:
    """Close it, and ask the service anew. `said` is Markdown that is told in passing."""
    st.session_state.pop(STATE, None)
    if said is not None:
        st.session_state[SAID] = said
    forget(PAGE)


def open_dialog(dialog: Dialog) -> None:
    """Show it. Once it is over, the page is drawn again without it."""

    @st.dialog(dialog.title, width="medium", on_dismiss=end)
    def show() -> None:
        if present() is dialog:
            with st.container(key="dialog"):
                dialog.draw()
        if present() is not dialog:
            st.rerun(scope="app")

    show()


def say() -> None:
    said = st.session_state.pop(SAID, None)
    if isinstance(said, str):
        st.toast(said, icon=":material/check_circle:")


def buttons(label: str, icon: str, *, danger: bool = False) -> tuple[bool, bool]:
    """The two at the foot of a dialog: whether it was confirmed, whether it was left."""
    with st.container(horizontal=True):
        confirmed = st.button(label, key=CONFIRM, type="primary", icon=icon)
        left = st.button("Cancel", key=CANCEL)
    if danger:
        st.caption(":material/warning: This takes effect at once.")
    return confirmed, left


def written(key: str) -> str:
    """What stands in a text of the dialog, told before it is drawn."""
    return str(st.session_state.get(key) or "").strip()


@dataclass
class Confirming:
    """`says` are Markdown, `do` carries it out, `done` (Markdown) is told afterwards. With `asks`, the label of a text,
    nothing is carried out without words, which `do` is given."""

    title: str
    says: Iterable[str]
    label: str
    icon: str
    do: Callable[[str], object]
    done: str
    asks: str | None = None
    danger: bool = True
    problem: str | None = field(default=None, init=False)

    def draw(self) -> None:
        for line in self.says:
            st.markdown(line)
        given = ""
        if self.asks is not None:
            given = (
                st.text_area(self.asks, key=REASON, max_chars=LONGEST_REASON, height=96, on_change="ignore") or ""
            ).strip()
        problem = st.empty()
        confirmed, left = buttons(self.label, self.icon, danger=self.danger)
        if left:
            end()
        elif confirmed:
            self._carry_out(given)
        if self.problem is not None and present() is self:
            problem.error(words.plain(self.problem))

    def _carry_out(self, given: str) -> None:
        if self.asks is not None and not given:
            self.problem = "Say why: it is recorded, and shown to everybody who is stopped by it."
            return
        _, self.problem = attempt(lambda: self.do(given))
        if self.problem is None:
            end(self.done)


# A secret that is shown once.
#
# It is in the answer of the service and on the screen, nowhere else: not in the page's state, not in its address, not
# in a log. Whatever is drawn next no longer has it, so the page is not drawn by itself while it is there.
#
# Keys: `secret` holds it, `done` closes the dialog.


@dataclass
class Making(ABC):
    """A dialog that makes something with a secret. Of what it made it keeps that it did, and nothing else.
    `what` is the secret's name ("The key"), `advice` Markdown that says where it belongs, `label` and `icon` are the
    button's."""

    title: ClassVar[str]
    what: ClassVar[str]
    advice: ClassVar[str]
    label: ClassVar[str]
    icon: ClassVar[str] = ":material/add:"

    made: bool = field(default=False, init=False)
    problem: str | None = field(default=None, init=False)

    @abstractmethod
    def ask(self) -> None:
        """Draw the form, above the buttons."""

    @abstractmethod
    def make(self) -> str | None:
        """What the button does: the secret; or None, with `problem` set or the dialog ended."""

    def draw(self) -> None:
        if self.made:
            _gone(self.what)
            return
        # Before anything of the form is drawn. In the form's place the secret's first line takes it away at once; what
        # nothing takes the place of goes with the end of the run, which the browser is not told if another run begins
        # too soon.
        secret = self.make() if st.session_state.get(CONFIRM) else None
        if secret is not None:
            self.made = True
            _show(secret, self.what, self.advice)
        elif present() is self:
            with st.container():
                self.ask()
                if self.problem is not None:
                    st.error(words.plain(self.problem))
                _, left = buttons(self.label, self.icon)
            if left:
                end()


def _show(secret: str, what: str, advice: str) -> None:
    st.warning(f"**{what} is shown this once.** Copy it now; nobody can show it again.", icon=":material/key:")
    with st.container(key="secret"):
        st.code(secret, language=None, wrap_lines=True)
    st.markdown(advice)
    st.button("I have copied it", key=DONE, type="primary", icon=":material/check:", on_click=end)


def _gone(what: str) -> None:
    """What stands in its place when the dialog is drawn once more."""
    st.info(f"{what} was shown once and is not kept. If it was not copied, make another one.", icon=":material/key:")
    st.button("Close", key=DONE, type="primary", on_click=end)
