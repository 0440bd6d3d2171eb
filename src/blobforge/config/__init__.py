"""Settings: what they are, and how flags, environment and files make them."""
