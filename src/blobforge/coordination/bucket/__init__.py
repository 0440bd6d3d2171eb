"""The queue in a bucket: a job's state is one object, changed by conditional writes; everything else can be rebuilt."""
