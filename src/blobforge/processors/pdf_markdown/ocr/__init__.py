"""Reading pages that are pictures."""
