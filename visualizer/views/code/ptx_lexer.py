"""PTX for the code pane.

Pygments' own PTX lexer takes `mbarrier.try_wait.shared::cta` for a label and knows no block comment, predicate or
0f3F800000. Importing this imports Pygments, so only `code_tokens` does, when it has such code.
"""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, include
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace


class PtxLexer(RegexLexer):
    """PTX as compilers write it: a directive that has no semicolon ends with its line.

    https://docs.nvidia.com/cuda/parallel-thread-execution/#syntax
    """

    tokens: ClassVar = {
        "root": [
            (r"\n", Whitespace),
            include("space"),
            (r"#[^\n]*", Comment.Preproc),
            (r"[%$\w]+(?=\s*:)", Name.Label),
            (r"@!?", Operator),
            (r"(?<=[@!])[%$\w]+", Name.Variable),
            (r"\.[a-z]\w*", Keyword.Reserved, "directive"),
            (r"[a-z]\w*(?:(?:\.|::)\w+)*", Keyword, "instruction"),
            include("operands"),
        ],
        "directive": [
            (r"[;\n]", Punctuation, "#pop"),
            (r"\.[a-z]\w*(?:::\w+)?", Keyword.Reserved),
            include("space"),
            include("operands"),
        ],
        "instruction": [
            (r";", Punctuation, "#pop"),
            (r"\n", Whitespace),
            include("space"),
            include("operands"),
        ],
        "space": [
            (r"[^\S\n]+", Whitespace),
            (r"//[^\n]*", Comment.Single),
            (r"/\*[\s\S]*?(?:\*/|\Z)", Comment.Multiline),
        ],
        "operands": [
            (r'"(?:\\.|[^"\\\n])*"?', String),
            (r"0[fF][\da-fA-F]{8}\b|0[dD][\da-fA-F]{16}\b|\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+", Number.Float),
            (r"(?:0[xX][\da-fA-F]+|0[bB][01]+|\d+)U?", Number.Integer),
            (r"%[\w$]+(?:\.\w+)?", Name.Variable),
            (r"[\w$]+", Name),
            (r"[-+*/%&|^~!<>=?]", Operator),
            (r"[()\[\]{}:;,.@]", Punctuation),
        ],
    }
