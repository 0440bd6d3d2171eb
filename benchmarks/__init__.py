"""Speed and memory, as ratios against bare limits in the same run. `make bench` runs all of it."""
