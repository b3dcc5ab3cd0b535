"""CUDA C++ for the code pane: Pygments' lexer with words of CUDA that it lacks.

Importing this imports Pygments, so only `code_tokens` does, when it has such code.
"""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import inherit, words
from pygments.lexers.c_like import CudaLexer
from pygments.token import Keyword

_WORDS = ("__launch_bounds__", "__cluster_dims__", "__grid_constant__", "__syncthreads", "__syncwarp", "half", "__half")


class CudaCppLexer(CudaLexer):
    """C++, CUDA's qualifiers, types and variables, and these words."""

    tokens: ClassVar = {"keywords": [(words(_WORDS, suffix=r"\b"), Keyword), inherit]}
