"""What the queue in a bucket costs, counted in requests, and how many workers share it."""
