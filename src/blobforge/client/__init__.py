"""The one wrapper of the HTTP library, and what programs use to talk to a server."""
