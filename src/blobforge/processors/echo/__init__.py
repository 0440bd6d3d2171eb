"""Gives a document back as it came, and misbehaves on request."""
