"""Worker processes that use the GPU, and the flight recorder that outlives them: any module, any log layout."""
