"""A queue behind a server: the Coordinator over HTTP."""
