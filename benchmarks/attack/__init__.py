"""Attacks on clausewise, with what each must end in: `python -m benchmarks.attack`.

Everything goes through the command line, in processes with a home, a cache and a temporary folder
of their own. A part is a function of a folder to work in; it yields one `Row` for each attack.
"""
