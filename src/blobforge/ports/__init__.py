"""What the core asks of the world: one Protocol a file; adapters do not inherit from them."""
