"""Cheatcodes: the functions of `vm` with which tests of Foundry, Echidna and Medusa steer
the EVM that runs them.

One definition for every EVM. `table` has all of Foundry's functions, `registry` those
that work here with what they do (`handlers`), `cheats` what they remember between calls,
`pranks` what compiled code has to know of them. An EVM offers a `host`, tells what its
frames do, and obeys the answers.
"""
