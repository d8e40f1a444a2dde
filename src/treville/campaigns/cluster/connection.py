"""`--cluster ADDRESS|local[:N]` -> a client of Dask: of a cluster that runs somewhere, or of one made here.

What is made here listens on loopback only, has no dashboard, and speaks TLS with keys that nobody else has,
since whoever can talk to a scheduler can run code. Clusters elsewhere are secured by Dask's own
configuration.
"""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from treville.campaigns.processes import Guard, make_folder
from treville.results import InputError

LOCAL = "local"
_HINT = "install what clusters need: pip install 'treville[cluster]'"
_SECONDS_TO_CLOSE = 10


@dataclass(slots=True)
class Connection:
    """A client, and what was made for it: a cluster, a folder for its files, who removes that."""

    address: str
    client: Any
    cluster: Any = None
    guard: Guard | None = None

    def close(self) -> None:
        """End what was made here; a cluster elsewhere goes on."""
        for each in (self.client, self.cluster):
            if each is not None:
                with suppress(Exception):  # it may be gone already, in any way
                    each.close(timeout=_SECONDS_TO_CLOSE)
        if self.guard is not None:
            self.guard.dismiss()


def _dask() -> Any:
    import distributed

    return distributed


def connect(address: str) -> Connection:
    """Connect to a scheduler by its address or by the file that it wrote, or make a cluster here."""
    processes = local_processes(address)
    # Before there are threads, and before a folder needs somebody who removes it.
    folder = make_folder() if processes else ""
    guard = Guard(folder) if processes else None
    try:
        distributed = _dask()
    except ImportError as error:
        if guard is not None:
            guard.dismiss()
        raise InputError(f"--cluster needs Dask: {error}", hint=_HINT) from None
    for name in ("distributed", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is told by the batch
    try:
        if not processes:
            return Connection(address, _elsewhere(distributed, address))
        cluster = _made_here(distributed, processes, folder)
        return Connection(address, distributed.Client(cluster, set_as_default=False), cluster, guard)
    except (OSError, ValueError, RuntimeError, TypeError, ImportError) as error:
        if guard is not None:
            guard.dismiss()
        raise InputError(f"no cluster at {address}: {error}", hint=_advice(address)) from None


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
    return distributed.LocalCluster(
        n_workers=processes,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        worker_dashboard_address=None,
        silence_logs=logging.CRITICAL,
        security=distributed.Security.temporary(),
        memory_limit=0,  # --memory is what limits a question
        local_directory=folder,
    )


def _advice(address: str) -> str:
    if address.startswith(LOCAL):
        return _HINT
    return "an address is like tcp://host:8786, tls://host:8786, or the file of dask scheduler --scheduler-file"
