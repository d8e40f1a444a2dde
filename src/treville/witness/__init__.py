"""Executions for people: why a model forbids one (axiom and cycle), and its picture as SVG, DOT and text."""
