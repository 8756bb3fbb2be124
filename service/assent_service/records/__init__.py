"""Plain records: what agents note down, kept by one slice whatever its kind."""

from assent_service.records.digests import Digests
from assent_service.records.records import Outcome, Records
from assent_service.records.routes import routes
from assent_service.records.tables import RECORDS, TOKEN_USAGE

__all__ = ["RECORDS", "TOKEN_USAGE", "Digests", "Outcome", "Records", "routes"]
