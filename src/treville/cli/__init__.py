"""The command line: parse options, call a question, render the result. The only package that prints."""
