"""`--cluster ADDRESS|local[:N]` -> a client of Dask: of a cluster that runs somewhere, or of one made here.

What is made here listens on loopback only, has no dashboard, and speaks TLS with keys that nobody else has,
since whoever can talk to a scheduler can run code. Clusters elsewhere are secured by Dask's own
configuration.
"""

from __future__ import annotations

import atexit
import io
import logging
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from treville.campaigns.processes import Guard
from treville.records import dataclass
from treville.results import InputError

LOCAL = "local"
_HINT = "install what clusters need: pip install 'treville[cluster]'"
_ADDRESS = "an address is like tls://host:8786, or the file that `dask scheduler --scheduler-file` writes"
_SECONDS_TO_CLOSE = 10
_SECONDS_OF_WORK = 30.0
# What Dask does to watch itself takes a few percent of a processor for each worker; its pages nobody needs.
_QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
_ATTEMPTS = 3


@dataclass(slots=True)
class Connection:
    """A client, and what was made for it: a cluster, a folder for its files, who removes that."""

    address: str
    client: Any
    cluster: Any = None
    guard: Guard | None = None
    temporary: str | None = None
    silence: _Silence | None = None

    @property
    def patience(self) -> float:
        """How many seconds a scheduler may be silent: as long as Dask itself tries to connect, and some more
        for one that has much to do."""
        from dask import config, utils

        return (
            float(utils.parse_timedelta(config.get("distributed.comm.timeouts.connect"))) + _SECONDS_OF_WORK
        )

    def ask(self, what: Callable[[], Any], seconds: float) -> Any:
        """What a call of the client gives. Those wait for ever where the scheduler was lost in their midst;
        this one raises `TimeoutError`."""
        return self.client.sync(what, callback_timeout=seconds)

    def close(self) -> None:
        """End what was made here; a cluster elsewhere goes on."""
        for each in (self.client, self.cluster):
            if each is not None:
                with suppress(Exception):  # it may be gone already, in any way
                    each.close(timeout=_SECONDS_TO_CLOSE)
        if self.guard is not None:
            _set_temporary_folder(self.temporary)
            self.guard.dismiss()
        if self.silence is not None:
            self.silence.end()


class _Silence:
    """What processes say that are started meanwhile is heard by nobody: Python's own way to tell that a
    process which is still starting, or Dask's worker, was interrupted with the command is a traceback."""

    def __init__(self) -> None:
        self._stream = sys.stderr
        self._kept = os.dup(2)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)
        os.close(null)
        if isinstance(self._stream, io.TextIOWrapper) and self._stream.fileno() == 2:
            self._stream.flush()
            sys.stderr = io.TextIOWrapper(
                io.FileIO(os.dup(self._kept), "w"),
                self._stream.encoding,
                self._stream.errors,
                write_through=True,
            )

    def end(self) -> None:
        """They are gone."""
        if sys.stderr is not self._stream:
            sys.stderr.close()
            sys.stderr = self._stream
        os.dup2(self._kept, 2)
        os.close(self._kept)


def _set_temporary_folder(folder: str | None) -> str | None:
    """Where this process and those that it starts keep temporary files, keys among them; where they did."""
    before = os.environ.pop("TMPDIR", None)
    if folder is not None:
        os.environ["TMPDIR"] = folder
    tempfile.tempdir = None  # to be found out again
    return before


def connect(address: str) -> Connection:
    """Connect to a scheduler by its address or by the file that it wrote, or make a cluster here."""
    processes = local_processes(address)
    # Before there are threads, and before a folder needs somebody who removes it.
    guard = Guard() if processes else None
    folder = guard.folder if guard is not None else ""
    before = _set_temporary_folder(folder) if processes else None
    silence = _Silence() if processes and not os.environ.get("TREVILLE_TRACEBACK") else None
    try:
        distributed = _dask(folder)
        if not processes:
            return Connection(address, _elsewhere(distributed, address))
        cluster = _made_here(distributed, processes, folder)
        client = distributed.Client(cluster, set_as_default=False)
        return Connection(address, client, cluster, guard, before, silence)
    except BaseException as error:
        if silence is not None:
            silence.end()
        if guard is not None:
            _set_temporary_folder(before)
            guard.dismiss()
        if isinstance(error, ImportError):
            raise InputError(f"--cluster needs Dask: {error}", hint=_HINT) from None
        if not isinstance(error, OSError | ValueError | RuntimeError | TypeError):
            raise
        raise InputError(f"no cluster at {address}: {error}", hint="" if processes else _ADDRESS) from None


def _dask(folder: str) -> Any:
    """Dask, with its files in a folder that is removed, and silent: what matters is told by the batch."""
    import dask
    import distributed
    from distributed.deploy import spec

    if folder:
        dask.config.set({"temporary-directory": folder, **_QUIET})
        atexit.unregister(spec.close_clusters)  # what is made here is closed here, or dies with this process
    for name in ("distributed", "distributed.client", "distributed.core", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return distributed


def local_processes(address: str) -> int:
    """How many workers `local` or `local:N` asks for; 0 for a cluster elsewhere."""
    name, colon, count = address.partition(":")
    if name != LOCAL:
        return 0
    if colon and not (count.isascii() and count.isdigit() and 0 < int(count) <= 4096):
        raise InputError(f"--cluster {address}: 'local:N' needs a number of workers", hint="local:2")
    return int(count) if colon else os.cpu_count() or 1


def _elsewhere(distributed: Any, address: str) -> Any:
    named = {"scheduler_file": address} if address.endswith(".json") else {"address": address}
    return distributed.Client(**named, set_as_default=False)


def _made_here(distributed: Any, processes: int, folder: str) -> Any:
    """A cluster of this machine; a worker that is killed before it was there ends the attempt."""
    for _ in range(_ATTEMPTS - 1):
        with suppress(RuntimeError):
            return _local_cluster(distributed, processes, folder)
    return _local_cluster(distributed, processes, folder)


def _local_cluster(distributed: Any, processes: int, folder: str) -> Any:
    return distributed.LocalCluster(
        n_workers=processes,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",  # of no pages (_QUIET); without an address it takes port 8787
        scheduler_kwargs={"dashboard": False},
        silence_logs=logging.CRITICAL,
        security=distributed.Security.temporary(),
        memory_limit=0,  # --memory is what limits a question
        local_directory=folder,
    )
