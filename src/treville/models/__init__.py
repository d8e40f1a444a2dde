"""Memory models: the cat language, its resolution into a DAG, evaluation, and the shipped library."""
