"""What is drawn on a page, as two libraries find it, in our own words."""
