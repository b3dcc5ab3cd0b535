"""Pipeline programs as data: what each agent does, operation by operation, and the parameters that shape it."""
