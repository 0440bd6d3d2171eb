"""Which rules of the layout engine change no score: each is switched off in turn."""
