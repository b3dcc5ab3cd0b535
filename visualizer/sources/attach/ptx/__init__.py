"""PTX of any kernel, rewritten to record its barrier operations: what is in a module, which forms are sites, how each
is recorded, and what may be recorded within the kernel's registers."""
