"""Treville verifies concurrent programs on weak memory, for any memory model written in cat."""

__version__ = "0.1.0"
