"""Precompiled contracts: in the kernel language, or by way of the host."""
