"""Passages as Markdown, and whether anything was lost on the way."""
