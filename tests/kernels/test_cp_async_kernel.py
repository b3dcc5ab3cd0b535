"""The cp.async kernel compiles without a GPU, to groups and a CTA-wide sync and not one mbarrier."""

from __future__ import annotations

import re

import pytest
from nvrtc import compile_kernel, entry


@pytest.mark.parametrize("stages", range(2, 9))
def test_it_is_made_of_groups_and_syncs(stages: int) -> None:
    body = entry(compile_kernel("cp_async_pipeline.cu", f"-DPHASESCOPE_STAGES={stages}"), "cp_async_pipeline")
    assert "cp.async.cg.shared.global" in body
    assert "cp.async.commit_group" in body
    assert re.findall(r"cp\.async\.wait_group (\d+)", body) == [str(stages - 2)]
    assert "bar.sync" in body or "barrier.sync" in body
    assert "mbarrier" not in body
    assert "st.global.v2.u64" in body  # records are stored
