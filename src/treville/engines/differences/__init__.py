"""Engines that look for executions which one model allows and another forbids (paper 004, chapter 5)."""
