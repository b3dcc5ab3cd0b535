"""The executable specification: mbarrier, PipelineState and the shared-memory layout. Imports nothing."""
