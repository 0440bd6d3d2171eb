"""A queue that lives as long as its process: for tests, trials and the library."""
