"""Glyphs become words and lines."""
