"""Tables: which lines head them, what their columns hold, and a line read by its columns."""
