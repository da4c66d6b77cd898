"""What other tools have compiled before."""
