"""Evidence that a campaign, or a finding, existed at a time and was not altered since.

A *document* says what a store held up to an event, in digests alone. *Sealing* stores
its digest as an event; *certifying* writes that digest where nobody can change it any
more, by the tools of the family `circular`; a *file* holds all of it, and can be
checked against the store without a network (`docs/evidence.md`).
"""
