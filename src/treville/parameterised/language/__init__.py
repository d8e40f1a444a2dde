"""A `.cub` file -> a `System` under one memory model."""
