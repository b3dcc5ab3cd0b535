"""Kernels worth learning from, with no log of their own: run plainly here, and recorded by attach like any program."""
