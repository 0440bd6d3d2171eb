"""What holds for the whole document."""
