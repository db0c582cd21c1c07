"""`python -m clausewise`."""

from clausewise.cli import main

if __name__ == "__main__":
    main()
