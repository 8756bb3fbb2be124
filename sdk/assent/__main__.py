"""`python -m assent`: the command line, where the program `assent` is not on the path."""

from assent.cli import main

if __name__ == "__main__":
    main()
