"""What a child may do at all: Landlock, seccomp and capabilities, from the kernel's own calls."""
