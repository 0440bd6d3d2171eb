"""What the program tells about itself while it runs."""
