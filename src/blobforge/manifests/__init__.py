"""The manifest of a library, beside its blobs: in the folder or in the bucket of the store."""
