"""Cheatcodes: the functions of `vm` with which tests steer the EVM that runs them.

One definition for every EVM, and for tests of Foundry, Echidna and Medusa. `table` has
all of Foundry's functions, `registry` those that work here with what they do
(`handlers`), `cheats` what happens when frames act, `held` what is remembered between
calls, `pranks` what compiled code has to know of them. An EVM offers a `host`, tells
what its frames do, and obeys the answers.
"""
