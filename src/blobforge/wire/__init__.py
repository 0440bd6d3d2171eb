"""What server and client say to each other: paths, messages and errors. They never import one another."""
