"""A service that shares its log with others: what the setting `log` opens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from assent.secrets import keep_out
from assent_service.base.clock import Correction
from assent_service.core.settings import Settings, SettingsError
from assent_service.store.replica_folder import check_not_claimed

if TYPE_CHECKING:
    from assent_service.store.postgresql.replica_log import Replica

FILES = "files"


def open_replica(settings: Settings, correction: Correction) -> Replica | None:
    """This service's part in a database's log; None where the log is in files.

    Raises SettingsError, FolderOfAnotherLog, and DatabaseUnsuitable.
    """
    if settings.log == FILES:
        check_not_claimed(Path(settings.home))
        return None
    if settings.wallet_key is None:
        raise SettingsError(
            "ASSENT_WALLET_KEY is missing: services that share a log in a database share the signing keys in it, too, "
            "and each needs what opens them. Make one with `openssl rand -base64 32` and give it to all of them."
        )
    password = urlsplit(settings.log).password
    if password:
        keep_out([password, unquote(password)])
    try:
        from assent_service.store.postgresql.replica_log import Replica
    except ImportError as error:
        raise SettingsError(
            "the setting `log` names a database, and its driver is not installed: install `assent[postgresql]`"
        ) from error
    return Replica(settings.log, correction)
