"""Many inputs: expand folders and lists, run a pool of killable processes, resume, compare results."""
