"""Recording on a GPU: the launcher (desktop side) and the worker process that alone imports CuPy."""
