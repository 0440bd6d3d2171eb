"""One printed line: its tokens tagged, and what it says of a test by itself."""
