"""What is done with finished results: fetched, shown, written beside their sources, planned anew, cleared away."""
