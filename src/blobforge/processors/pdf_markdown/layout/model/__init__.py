"""What the stages hand on: pages as drawn, items, tables, passages."""
