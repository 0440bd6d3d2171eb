"""Queues: the service with the rules, and the stores under it."""
