"""What turns sources into results: one folder a processor, found by entry point."""
