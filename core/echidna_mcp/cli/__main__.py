"""`python -m echidna_mcp.cli`."""

from echidna_mcp.cli.entry import main

if __name__ == "__main__":
    main()
