"""`treville COMMAND ...`: finds the command's module, imports only that, and maps errors to exit codes.

Adding a command is adding a line to `COMMANDS` and a module `cli/<module>.py` with
`add_arguments(parser)` and `run(options) -> int`.
"""

from __future__ import annotations

import argparse
import gc
import io
import os
import signal
import sys
import threading
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from treville import __version__
from treville.results.errors import BudgetExceeded, InputError, TrevilleError
from treville.results.verdict import ExitCode

INTERRUPTED = 130
CLOSED_PIPE = 141  # what a process ends with that SIGPIPE stops

# command -> (module below treville.cli, one line for --help)
COMMANDS: dict[str, tuple[str, str]] = {
    "litmus": ("litmus", "every final state of litmus tests under memory models"),
    "check": ("check", "can a program (C, LLVM IR, litmus) violate its assertions, race, deadlock or hang?"),
    "sequentialise": ("sequentialise", "a program with threads as a sequential one, for any checker"),
    "diff": ("diff", "compare two result files of `treville litmus`"),
    "models": ("models", "list the shipped memory models, or check their strength order"),
    "port": ("port", "does a program behave on a new machine as on the old one?"),
    "repair": ("repair", "the cheapest fences and memory orders that make a program right, as a patch"),
    "compare": ("compare", "the smallest litmus tests that one memory model allows and another forbids"),
    "synth": ("synth", "which memory model explains these test results?"),
    "history": ("history", "could this recorded run happen under a consistency model?"),
    "petri": ("petri", "is a marking of a Petri net unreachable or uncoverable, with a proof?"),
    "param": ("param", "is a protocol safe for any number of processes, on weak memory?"),
}


_MOMENT = 0.01  # seconds


def command() -> NoReturn:
    """The `treville` command, in a process of its own: while it starts there is no garbage to look for, and
    in the end the system takes its memory back quicker than Python would clear it up."""
    gc.disable()
    code = main()
    if threading.active_count() > 1 or "distributed" in sys.modules:
        sys.exit(code)
    os._exit(code)


def main(arguments: list[str] | None = None) -> int:
    """What the `treville` command does with its arguments; returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    _prepare_streams()
    _prepare_signals()
    try:
        try:
            return _answered(arguments)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output went away (`| head`); nothing is left to say.
        _forget_output()
        return CLOSED_PIPE
    except OSError as error:
        # What belongs to an input is told by its reader; this is the output, or the machine.
        _complain(f"error: {error.strerror or error}")
        _forget_output()
        return int(ExitCode.INPUT)


def _answered(arguments: list[str]) -> int:
    """The exit code of a command; what it raises is told as text, and as JSON to those who read that."""
    try:
        return int(_dispatch(arguments))
    except BudgetExceeded as error:
        _complain(f"UNKNOWN: {error.reason}" + (f" ({error.advice})" if error.advice else ""))
        _print_as_json(arguments, error)
        return int(ExitCode.UNKNOWN)
    except InputError as error:
        _complain(str(error))
        _print_as_json(arguments, error)
        return int(ExitCode.INPUT)
    except TrevilleError as error:
        _complain(f"error: {error}")
        _print_as_json(arguments, error)
        return int(ExitCode.INPUT)
    except KeyboardInterrupt as interruption:
        if not interruption.args:
            _complain("interrupted")
        return INTERRUPTED
    except OSError:
        raise
    except Exception as error:
        if os.environ.get("TREVILLE_TRACEBACK"):
            raise
        _complain(
            f"internal error: {type(error).__name__}: {error}\n"
            "This is a bug in Treville; set TREVILLE_TRACEBACK=1 to see where, and please report it."
        )
        _print_as_json(arguments, error)
        return int(ExitCode.INTERNAL)


def _forget_output() -> None:
    """What could not be written is not tried again at the end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(text: str) -> None:
    """What names in it could make a terminal do is taken out."""
    from treville.rendering.style import harmless

    with suppress(OSError):  # there may be nobody to complain to
        print(harmless(text), file=sys.stderr, flush=True)


def _print_as_json(arguments: list[str], error: Exception) -> None:
    """What is wrong with the command, as one report that belongs to no file, for those who read JSON."""
    if "--json" not in arguments:
        return
    from treville.cli.terminal import print_error

    print_error(error)


class _Parser(argparse.ArgumentParser):
    """Wrong options are an error like others to those who read JSON. Options are written out: what a part of
    a name stands for would change with every new option."""

    def __init__(self, arguments: list[str], **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)
        self.arguments = arguments

    def error(self, message: str) -> NoReturn:
        """Say so, with what may have been meant, and end."""
        from treville.cli.meant import meant

        _print_as_json(self.arguments, InputError(message))
        found = meant(message, [*self._option_string_actions, *COMMANDS])
        told = f"did you mean {found}? " if found else ""
        _complain(f"{self.prog}: error: {message}\n  {told}`{self.prog} --help` tells more")
        self.exit(int(ExitCode.INPUT))


def _prepare_streams() -> None:
    """Output may be closed, names of files need not be text, and terminals do not know all characters."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest that is free: nothing else may get its number
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 - open as long as the process
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _prepare_signals() -> None:
    """Those who ask a process to end get what an interruption from the keyboard gets: no workers, compilers
    or temporary files are left, and what was answered is whole."""
    if threading.current_thread() is not threading.main_thread():
        return
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Who ignores a signal (nohup) wants that.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)
    if hasattr(signal, "setitimer"):
        sys.unraisablehook = _interrupt_again


def _interrupt_again(lost: sys.UnraisableHookArgs) -> None:
    """A signal may come while Python calls back from where nothing can be raised (an import's lock is given
    up): the interruption is lost there, and comes again a moment later."""
    if lost.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(lost)
        return
    signal.signal(signal.SIGALRM, _interrupt)
    signal.setitimer(signal.ITIMER_REAL, _MOMENT)


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _dispatch(arguments: list[str]) -> int:
    if not arguments:
        _overview(arguments).print_help(sys.stderr)
        return int(ExitCode.INPUT)
    command = next((a for a in arguments if not a.startswith("-")), None)
    if command not in COMMANDS or arguments[0] != command:
        _overview(arguments).parse_args(arguments)
        return int(ExitCode.INPUT)
    module = import_module(f"treville.cli.{COMMANDS[command][0]}")
    parser = _Parser(arguments, prog=f"treville {command}", description=module.__doc__, formatter_class=_Help)
    module.add_arguments(parser)
    options = parser.parse_args(arguments[1:])
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
    return int(module.run(options))


class _Help(argparse.HelpFormatter):
    """Help as wide as the terminal. Every option makes a formatter, and one that is told no width imports
    what takes long."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    """The width of the terminal."""
    with suppress(ValueError, OSError):
        return int(os.environ.get("COLUMNS", "")) or 80
    with suppress(ValueError, OSError, AttributeError):
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]
    return 80


def _overview(arguments: list[str]) -> argparse.ArgumentParser:
    width = max(map(len, COMMANDS)) + 2
    lines = "\n".join(f"  {name:<{width}}{summary}" for name, (_, summary) in COMMANDS.items())
    parser = _Parser(
        arguments,
        prog="treville",
        description="Verify concurrent programs on weak memory.",
        epilog=f"commands:\n{lines}\n\n`treville COMMAND --help` tells more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"treville {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of the commands below")
    return parser
