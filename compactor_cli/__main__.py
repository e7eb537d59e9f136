"""`python -m compactor_cli`."""

from compactor_cli.cli.app import main

if __name__ == "__main__":
    main()
