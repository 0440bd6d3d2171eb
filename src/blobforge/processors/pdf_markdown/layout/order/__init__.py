"""Columns and reading order."""
