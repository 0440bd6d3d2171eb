"""From paths that a person names to documents with a content hash."""
