"""What a URL stands for: the adapters of a queue or a store, with all that belongs to them. Entry points name these, as
anybody's may name their own; nothing imports them otherwise."""
