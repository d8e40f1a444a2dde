"""What library functions do to memory: every function that has a meaning here, and those that are refused.

`WRITES` says through which arguments a function writes, so that nobody can add one without having thought
about it. A function that is defined nowhere and in neither table is taken to write nothing, with a warning;
those of the C library and of POSIX that do write, jump, start processes or call back are refused by name.
"""

from __future__ import annotations

import re

_FIRST = (0,)
WRITES: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(
        ("abort", "exit", "_exit", "_Exit", "quick_exit", "reach_error", "__assert", "__assert_fail",
         "__assert_rtn", "assume_abort_if_not", "atexit", "__cxa_atexit", "fflush", "ffs", "ffsl", "ffsll",
         "fprintf", "fputc", "fputs", "getchar", "getpid", "gettid", "perror", "printf", "putc", "putchar",
         "puts", "rand", "random", "srand", "srandom", "vfprintf", "vprintf", "usleep", "sleep", "nanosleep",
         "clock_nanosleep", "clock", "sched_yield", "malloc", "valloc", "calloc", "aligned_alloc", "memalign",
         "alloca", "__builtin_alloca", "_Znwm", "_Znam", "_ZnwmSt11align_val_t", "memcmp", "bcmp"),
        (),
    ),
    **dict.fromkeys(
        ("__VERIFIER_assert", "__VERIFIER_assume", "__VERIFIER_error", "__VERIFIER_loop_begin",
         "__VERIFIER_loop_bound", "__VERIFIER_spin_end", "__VERIFIER_spin_start", "__VERIFIER_atomic_begin",
         "__VERIFIER_atomic_end", "__VERIFIER_tid", "__CPROVER_assume", "__CPROVER_assert",
         "__CPROVER_atomic_begin", "__CPROVER_atomic_end", "treville_atomic_begin", "treville_atomic_end",
         "treville_place", "treville_async", "_mm_mfence", "_mm_lfence", "_mm_sfence", "_mm_pause"),
        (),
    ),
    **dict.fromkeys(("memcpy", "memmove", "memset", "free", "realloc", "posix_memalign"), _FIRST),
    **dict.fromkeys(("__memcpy_chk", "__memmove_chk", "__memset_chk"), _FIRST),
    **dict.fromkeys(("_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "_ZdlPvmSt11align_val_t"), _FIRST),
    **dict.fromkeys(("sprintf", "snprintf"), _FIRST),
    **dict.fromkeys(("scanf", "__isoc99_scanf"), (1, 2, 3)),
    **dict.fromkeys(("sscanf", "__isoc99_sscanf", "fscanf", "__isoc99_fscanf"), (2, 3, 4)),
    **dict.fromkeys(("time", "gettimeofday", "timespec_get"), _FIRST),
    **dict.fromkeys(("clock_gettime", "clock_getres"), (1,)),
    **dict.fromkeys(
        ("pthread_create", "thrd_create", "pthread_key_create", "tss_create", "pthread_once", "call_once"),
        _FIRST,
    ),
    **dict.fromkeys(
        ("pthread_join", "thrd_join", "sem_getvalue", "pthread_setcancelstate", "pthread_setcanceltype"),
        (1,),
    ),
    **dict.fromkeys(
        ("pthread_self", "thrd_current", "pthread_equal", "thrd_equal", "pthread_setspecific", "tss_set",
         "pthread_getspecific", "tss_get", "pthread_key_delete", "tss_delete", "pthread_exit", "thrd_exit",
         "pthread_detach", "thrd_detach", "thrd_yield", "pthread_yield", "thrd_sleep", "pthread_setname_np",
         "pthread_setconcurrency", "pthread_testcancel", "_pthread_cleanup_push", "_pthread_cleanup_pop"),
        (),
    ),
    **dict.fromkeys(  # attributes say nothing that matters here; nobody can read them
        ("pthread_attr_destroy", "pthread_attr_setscope",
         "pthread_attr_setstacksize", "pthread_attr_setschedpolicy", "pthread_mutexattr_destroy",
         "pthread_mutexattr_setpshared", "pthread_rwlockattr_init", "pthread_rwlockattr_destroy",
         "pthread_condattr_init", "pthread_condattr_destroy", "pthread_condattr_setclock"),
        (),
    ),
    **dict.fromkeys(
        ("pthread_mutexattr_init", "pthread_mutexattr_settype", "pthread_attr_init",
         "pthread_attr_setdetachstate"),
        _FIRST,
    ),
    **dict.fromkeys(
        tuple(
            f"pthread_mutex_{name}"
            for name in ("init", "lock", "trylock", "timedlock", "clocklock", "unlock")
        )
        + tuple(f"mtx_{name}" for name in ("init", "lock", "trylock", "timedlock", "unlock"))
        + tuple(f"pthread_spin_{name}" for name in ("init", "lock", "trylock", "unlock"))
        + tuple(f"sem_{name}" for name in ("init", "wait", "trywait", "timedwait", "clockwait", "post"))
        + tuple(f"treville_sem_{name}" for name in ("trywait", "timedwait", "clockwait"))
        + tuple(
            f"pthread_rwlock_{name}"
            for name in ("init", "rdlock", "wrlock", "tryrdlock", "trywrlock", "timedrdlock", "timedwrlock",
                         "unlock")
        ),
        _FIRST,
    ),
    **dict.fromkeys(("pthread_barrier_init", "pthread_barrier_wait"), _FIRST),
    **dict.fromkeys(  # the mutex; the condition variable only where signals matter
        ("pthread_cond_wait", "cnd_wait", "pthread_cond_timedwait", "pthread_cond_clockwait",
         "cnd_timedwait"),
        (1,),
    ),
    **dict.fromkeys(
        ("pthread_cond_init", "cnd_init", "pthread_cond_signal", "cnd_signal", "pthread_cond_broadcast",
         "cnd_broadcast", "pthread_cond_destroy", "cnd_destroy", "pthread_mutex_destroy", "mtx_destroy",
         "pthread_barrier_destroy", "pthread_rwlock_destroy", "pthread_spin_destroy", "sem_destroy"),
        (),
    ),
}  # fmt: skip
"""Known functions, and the arguments through which they write memory that the program can see."""

# Families that synchronise, or whose names only a compiler or a library may use.
_RESERVED = (
    r"pthread_|_pthread_|sem_|mtx_|cnd_|thrd_|tss_|__atomic_|__sync_|atomic_|__VERIFIER_|__CPROVER_|__cxa_|__gxx_"
    r"|_Zn|_Zd|_ZSt|_ZNSt|_ZNKSt|__cpp|__libcpp|__lkmm_|__LKMM_|__pthread|__sigsetjmp|__kmpc_|_mm_"
)
_UNMODELLED = frozenset(
    ("read", "pread", "readv", "recv", "recvfrom", "recvmsg", "fread", "fgets", "gets", "getline",
     "getdelim", "fgetc_unlocked", "getchar_unlocked", "vscanf", "vsscanf", "vfscanf", "vsprintf",
     "vsnprintf", "asprintf", "vasprintf", "__sprintf_chk", "__snprintf_chk",
     "__strcpy_chk", "__strcat_chk", "__vsnprintf_chk", "bcopy",
     "bzero", "mempcpy", "strlcat",
     "strtod", "strtof", "strtold", "strxfrm",
     "strerror_r", "wcscpy", "wcsncpy", "wcscat", "wmemcpy", "wmemset", "swab", "explicit_bzero",
     "getenv", "setenv", "putenv", "qsort_r", "lfind", "lsearch", "hsearch",
     "tsearch", "ftw", "nftw", "glob", "localtime", "gmtime", "localtime_r", "gmtime_r", "asctime",
     "asctime_r", "ctime", "ctime_r", "strftime", "mktime", "times", "getcwd", "realpath", "readlink",
     "getlogin", "gethostname", "uname", "getrlimit", "getrusage", "stat", "fstat", "lstat", "fstatat",
     "statfs", "pipe", "pipe2", "socketpair", "poll", "ppoll", "select", "pselect", "epoll_wait", "wait",
     "waitpid", "waitid", "wait4", "signal", "sigaction", "sigprocmask", "pthread_sigmask", "sigwait",
     "sigwaitinfo", "sigtimedwait", "sigemptyset", "sigfillset", "sigaddset", "sigdelset", "sigpending",
     "sigaltstack", "raise", "kill", "tgkill", "alarm", "setitimer", "timer_create", "timer_settime",
     "timer_gettime", "setjmp", "_setjmp", "sigsetjmp", "longjmp", "_longjmp", "siglongjmp",
     "getcontext", "setcontext", "makecontext", "swapcontext", "fork", "vfork", "clone", "execv",
     "execve", "execvp", "execl", "execlp", "system", "popen", "posix_spawn", "daemon", "mmap", "munmap",
     "mremap", "mprotect", "brk", "sbrk", "shmget", "shmat", "shmdt", "shm_open", "msync", "syscall",
     "futex", "io_uring_enter", "dlopen", "dlsym", "on_exit", "at_quick_exit", "reallocarray", "strdupa",
     "malloc_usable_size", "modf", "modff", "frexp", "frexpf", "remquo",
     "random_r", "rand_r", "drand48", "getrandom", "getentropy", "arc4random_buf", "tmpnam", "mkstemp",
     "sched_getaffinity", "sched_getparam", "sysctl", "getopt", "getopt_long", "va_start",
     "memset_s", "strcpy_s", "strncpy_s", "strcat_s", "strncat_s", "strtok_s", "strerror_s", "gets_s",
     "sprintf_s", "snprintf_s", "vsprintf_s", "vsnprintf_s", "scanf_s", "sscanf_s", "bsearch_s", "qsort_s",
     "localtime_s", "gmtime_s", "asctime_s", "ctime_s", "getenv_s",
     "ioctl", "fcntl", "getsockopt", "getsockname", "getpeername", "accept", "accept4", "getaddrinfo",
     "getnameinfo", "inet_pton", "inet_ntop", "inet_aton", "tcgetattr", "getgroups", "sysinfo", "statvfs",
     "fstatvfs", "preadv", "recvmmsg", "sendfile", "msgrcv", "mq_receive", "mq_getattr", "shmctl", "semctl",
     "semop", "msgctl", "aio_read", "lio_listio", "timerfd_gettime", "timerfd_settime", "eventfd_read",
     "epoll_pwait", "epoll_pwait2", "sched_rr_get_interval", "getitimer", "adjtime", "ftime", "statx",
     "getpwnam_r", "getpwuid_r", "getgrnam_r", "getgrgid_r", "ttyname_r", "ptsname_r", "readdir_r",
     "getdents", "initstate", "setstate", "erand48", "nrand48", "jrand48", "getsubopt", "iconv", "regexec",
     "regcomp", "wordexp", "confstr", "fgetpos", "fgetws", "process_vm_readv",
     "thread_create", "call_rcu", "synchronize_rcu")
)  # fmt: skip


# Functions whose result is no arbitrary value; C keeps the first for its library.
_DETERMINED = (
    r"(?:str|mem|wcs|wmem)[a-z]\w*|isw[a-z]+|tow[a-z]+|[hn]to[hn][sl]l?|[hlb]e\d\dto[hlb]e?\w*|hto[lb]e\d\d"
    r"|imaxabs|imaxdiv|a64l|l64a|mb\w*to\w+|wc\w*tomb\w*|btowc|basename|dirname|difftime"
)


def is_refused(name: str) -> bool:
    """Is this the name of a function whose effect cannot be left out?"""
    known = name in _UNMODELLED or re.match(_RESERVED, name) is not None
    return known or (name not in WRITES and re.fullmatch(_DETERMINED, name) is not None)
