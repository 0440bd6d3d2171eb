"""The queue in a bucket: a job's state is one object, moved by conditional writes; everything else can be rebuilt."""
