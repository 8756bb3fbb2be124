"""What agents tell each other, and the world outside: messages, threads, handoffs, prompts, records, webhooks."""
