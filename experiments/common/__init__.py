"""What the experiments share, so that each of them holds only what is its own.

`workspace`: arguments of a command, the systems of a benchmark with cached inspections;
`data`: reading the folder of predictions; `cache`: inspections on disk; `folds`: training without
the cases that are scored; `starts`: detectors trained on the other benchmark; `means`: figures of
systems, their means, intervals; `results`: CSV files, and the Markdown that is made of them;
`tables`, `plots`: how figures are shown; `parallel`: tasks on several processes.
"""
