"""The pipeline without mbarriers: kernels/cp_async_pipeline.cu, recorded beside the lesson's."""
