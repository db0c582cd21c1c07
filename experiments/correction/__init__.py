"""Running strategies of correction over the systems' predictions, and what came of it.

`detectors`: detectors that do not know the benchmark; `predictions`: scored predictions, right or
wrong by execution; `trials`: a strategy over them; `recorded`: a server with replies that are good,
useless or harmful by construction; `figures`: fixed, broken, net and their intervals.
"""
