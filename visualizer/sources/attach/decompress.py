"""What nvcc compresses in fat binaries: zstd by default since CUDA 13, LZ4 before and with --compress-mode=speed."""

from __future__ import annotations

from visualizer.language import mark, tr
from visualizer.sources.errors import SourceError

MOST_BYTES = 1 << 30
"""A module larger than this is damaged: the size is the file's own word."""
INSTALL = mark('pip install "phasescope[attach]"')


def decompressed(content: bytes, method: str, size: int) -> bytes:
    """The `size` bytes that were compressed by `method`, "zstd" or "lz4". SourceError without its package, or if the
    content is damaged."""
    if not 0 <= size <= MOST_BYTES:
        raise SourceError(tr("an image is damaged: it claims {size} bytes of PTX", size=size))
    try:
        if method == "zstd":
            import zstandard

            return zstandard.ZstdDecompressor().decompress(content, max_output_size=size)
        import lz4.block

        return bytes(lz4.block.decompress(content, uncompressed_size=size))
    except ImportError as problem:
        raise SourceError(
            tr(
                "the PTX is compressed with {method} and the package {package} is missing: {install}",
                method=method,
                package=problem.name,
                install=tr(INSTALL),
            ),
        ) from None
    except Exception as problem:  # each package has its own
        raise SourceError(tr("an image is damaged: {problem}", problem=problem)) from None
