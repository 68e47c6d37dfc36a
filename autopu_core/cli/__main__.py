"""`python -m autopu_core.cli`."""

from autopu_core.cli.main import main

if __name__ == "__main__":
    main()
