"""What is handed over: the normalised and the raw form, and the archive with both."""
