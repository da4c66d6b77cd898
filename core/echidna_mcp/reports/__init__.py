"""What a campaign has covered, in lines, branches and functions."""
