"""The Solidity ABI: types, flat type programs, values as text and as bytes."""
