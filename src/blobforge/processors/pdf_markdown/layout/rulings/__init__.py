"""Ruling lines: separators and frames."""
