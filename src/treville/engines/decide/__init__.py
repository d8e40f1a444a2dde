"""Engines that decide whether a program can violate a property: one file each."""
