"""The wallet: the keys that organizations sign their evidence with."""

from assent_service.wallet.routes import routes
from assent_service.wallet.state import WalletState
from assent_service.wallet.tables import SIGNING_KEYS
from assent_service.wallet.wallet import Signer, Wallet

__all__ = ["SIGNING_KEYS", "Signer", "Wallet", "WalletState", "routes"]
