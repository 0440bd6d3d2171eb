"""Tables and boxes: where they are, their rows, columns and cells."""
