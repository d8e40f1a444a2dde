"""`python -m treville` is the `treville` command."""

from treville.cli.main import command

command()
