"""The seam to an EVM: what a backend executes and what it reports."""
