"""Documentation, and the scripts that make the generated part of it."""
