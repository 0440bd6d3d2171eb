"""Our own layout analysis: from the glyphs and strokes of a page to blocks in reading order."""
