"""phasescope: a time-travel debugger for Hopper (SM90) asynchronous pipelines.

The package is a stack of rooms; imports go downward only (see docs/architecture.md).
"""

__version__ = "0.1.0"
