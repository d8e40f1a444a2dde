"""What rewrites programs and models on their way from front ends to engines: two lists, each run once."""
