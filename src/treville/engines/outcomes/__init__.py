"""Engines that list the final states of a litmus test: one file each."""
