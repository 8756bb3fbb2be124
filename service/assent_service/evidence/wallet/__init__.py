"""The wallet: the keys that organizations sign their evidence with."""

from __future__ import annotations

from assent_service.core.foundation import Foundation
from assent_service.evidence.wallet.signing_key import SIGNING_KEYS
from assent_service.evidence.wallet.wallet import WALLET_FENCE, Signer, Wallet, WalletState, routes

__all__ = [
    "SIGNING_KEYS",
    "TABLES",
    "WALLET_FENCE",
    "Signer",
    "Wallet",
    "WalletState",
    "open_wallet",
]

TABLES = (SIGNING_KEYS,)


def open_wallet(on: Foundation) -> Wallet:
    wallet = Wallet(
        on.ledger,
        on.clock,
        on.locks,
        home=on.home,
        secret=on.settings.wallet_key,
        days=on.settings.signing_key_days,
    )
    on.bring(
        routes=routes(wallet, on.first_organization), memory=wallet.state, start=wallet.start, inspect=wallet.inspect
    )
    return wallet
