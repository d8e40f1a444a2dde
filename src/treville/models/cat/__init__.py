"""The cat language: text -> tokens -> syntax -> a resolved `Model`."""
