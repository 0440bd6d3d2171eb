"""Jobs and their transitions: pure, without I/O, clock, randomness or logging."""
