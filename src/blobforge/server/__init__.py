"""The queue over HTTP. It adds no rules: the Coordinator has them all, and the server says who may ask what of it."""
