"""Tests of Foundry in a campaign: what they want called, with what, how often."""
