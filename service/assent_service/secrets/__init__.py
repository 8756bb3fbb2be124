"""Which secrets a text holds, for whoever is about to send it somewhere."""

from assent_service.secrets.routes import routes

__all__ = ("routes",)
