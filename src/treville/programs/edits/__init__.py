"""Changes of sources that people can type, and where in a source there is room for one."""
