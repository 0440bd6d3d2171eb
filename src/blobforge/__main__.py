"""`python -m blobforge` is the program `blobforge`."""

from blobforge.cli.main import main

if __name__ == "__main__":
    main()
