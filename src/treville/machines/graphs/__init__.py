"""A program and a model -> all its consistent execution graphs, each visited once."""
