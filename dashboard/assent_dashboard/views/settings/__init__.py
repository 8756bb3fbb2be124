"""Who may speak to the service and whom it tells: keys, pairings, identities, webhooks, and the kill switch."""
