"""The server under load, each figure beside the bare limit of the same machine in the same run."""
