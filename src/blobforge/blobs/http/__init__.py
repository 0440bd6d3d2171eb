"""Blobs behind a server: bytes go straight to the store, by addresses that the server signs."""
