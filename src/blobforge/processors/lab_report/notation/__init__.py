"""How quantities are printed: numbers, units, ranges and dates, whatever the line they stand in."""
