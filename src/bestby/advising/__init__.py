"""Which test and which interval: a decision tree that explains itself.

The tree is data: `advise` walks it, ``compare(test="auto")`` walks it, and the documentation draws it. Each
answer carries its reason and its source.
"""
