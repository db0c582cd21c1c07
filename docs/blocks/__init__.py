"""Runs the fenced blocks of the documentation, so that what they show is what happens.

- ```` ```console ````: each line that begins with `$ ` is run, and what it prints must be what
  follows it; a command that continues ends its line with a backslash. A command that ends with a
  usage error or worse must be followed by `$ echo $?`, so that it is meant.
- ```` ```python ````: run, all blocks of a page in one namespace; `>>>` examples are compared.
- `file=NAME` after the language: the block's text is written to that file first.
- `<!-- not run: reason -->` on the line before a block: neither run nor compared, but listed.

Each page has a copy of the packaged sample for itself, which is the working folder of its blocks,
in order from the first to the last. Every block names a language; one that is no code says `text`.
"""

from blocks.pages import PageResult, check_page, check_pages

__all__ = ["PageResult", "check_page", "check_pages"]
