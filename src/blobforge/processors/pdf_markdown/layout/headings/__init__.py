"""Headings, judged over the whole document."""
