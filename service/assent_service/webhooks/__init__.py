"""Webhooks: addresses that are told what was recorded."""

from assent_service.webhooks.opening import OpenWebhooks, open_webhooks
from assent_service.webhooks.routes import routes
from assent_service.webhooks.tables import WEBHOOK_DELIVERIES, WEBHOOKS
from assent_service.webhooks.webhooks import Webhooks

__all__ = ["WEBHOOKS", "WEBHOOK_DELIVERIES", "OpenWebhooks", "Webhooks", "open_webhooks", "routes"]
