"""The passes that read a report's lines one after the other; `pipeline` has their order."""
