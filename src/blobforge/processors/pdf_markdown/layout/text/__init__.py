"""Lines become paragraphs, lists, code and notes."""
