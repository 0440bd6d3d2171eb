"""A page: its words with their places, and the rows, tokens and regions that they make."""
