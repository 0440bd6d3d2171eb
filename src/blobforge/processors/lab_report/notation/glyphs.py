"""Glyphs whose letter the file does not tell."""

UNREADABLE = "\ufffd"
"""Stands for one of them in the text of a word."""
