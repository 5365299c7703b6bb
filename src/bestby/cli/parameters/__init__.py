"""What each command takes, and its help page; the room above reads, calls and prints.

These modules import nothing heavy: help pages and the completion of the shell are made of them alone.
"""
