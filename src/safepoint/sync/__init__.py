"""Campaigns that leave one machine for another, by git alone: what the commands do.

What a hook needs of it (reading a bundle, asking a remote, the work as a commit) is in `hot`.
"""
