"""What a job is and how it moves: pure, without I/O, clock, randomness or logging."""
