"""A processor and an engine for BlobForge, to copy from."""
