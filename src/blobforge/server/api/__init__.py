"""One file a noun: what the API has, and which method of the core answers it."""
