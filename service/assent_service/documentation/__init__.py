"""The API's own documentation: the OpenAPI document, and Swagger UI to read it and try it out."""

from assent_service.documentation.routes import handlers

__all__ = ["handlers"]
