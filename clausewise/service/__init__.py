"""The service: checking over HTTP, and as tools for agents; needs the extra `serve`.

A request passes `gate` (token, limits, counting), an endpoint of `app`, and `checking`; cases
wait in `dispatcher` for the worker processes that do `job`, in small batches.
"""
