"""Solvers: who answers what inputs take a branch."""
