"""One file a command, each with a `command`; imported when it is called."""
