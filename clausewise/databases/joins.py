"""The join graph of a schema, and the fewest tables that join a given set of tables."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, TypeAlias

from clausewise.databases.model import Schema

if TYPE_CHECKING:
    import networkx

_MOST_TRIALS = 20_000

_Asked: TypeAlias = tuple[frozenset[str], frozenset[str] | None]


def build_join_graph(schema: Schema) -> networkx.Graph:
    """Return the undirected graph of tables (nodes, by name) and foreign keys.

    Each edge has the attribute `keys`: the list of ForeignKey between the two tables, declared
    and inferred, in the schema's order.
    """
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(table.name for table in schema.tables)
    for key in schema.foreign_keys:
        if not graph.has_edge(key.table, key.referred_table):
            graph.add_edge(key.table, key.referred_table, keys=[])
        graph.edges[key.table, key.referred_table]["keys"].append(key)
    return graph


def minimum_join_tree(
    graph: networkx.Graph, required: frozenset[str], within: frozenset[str] | None = None
) -> frozenset[str] | None:
    """Return the nodes of a minimum Steiner tree: the fewest tables that join all required ones.

    The required tables are among the nodes returned. Of several smallest sets the one that comes
    first in the order of the schema's tables is taken. Exact, by trying sets of additional tables
    from small to large; after 20,000 of them (large schemas with tables far apart) Mehlhorn's
    approximation, at most twice the size, answers instead. None where the required tables are not
    connected, or one of them is no node. With `within`, no other tables than these may serve.
    Answers are remembered in the graph.

    See SQLens, appendix A.1, suboptimal join tree.
    """
    known: dict[_Asked, frozenset[str] | None] = graph.graph.setdefault("join_trees", {})
    asked = (required, within)
    if asked not in known:
        allowed = graph if within is None else graph.subgraph(within)
        known[asked] = _find_join_tree(allowed, required)
    return known[asked]


def _find_join_tree(graph: networkx.Graph, required: frozenset[str]) -> frozenset[str] | None:
    if len(required) <= 1:
        return required if all(name in graph for name in required) else None
    if not all(name in graph for name in required):
        return None
    neighbors = {name: frozenset(graph[name]) for name in graph}
    reachable = _reach(neighbors, min(required), frozenset(graph))
    if not required <= reachable:
        return None
    # A table with one neighbor joins nothing together.
    helpers = [
        name
        for name in graph
        if name in reachable and name not in required and len(neighbors[name] - {name}) > 1
    ]
    trials = 0
    for size in range(len(helpers) + 1):
        trials += comb(len(helpers), size)
        if trials > _MOST_TRIALS:
            break
        for extra in combinations(helpers, size):
            tables = required.union(extra)
            if _reach(neighbors, min(required), tables) == tables:
                return tables
    return _approximate(graph, required)


def _reach(
    neighbors: dict[str, frozenset[str]], start: str, allowed: frozenset[str]
) -> frozenset[str]:
    """Return the tables that can be reached from `start` through allowed ones.

    By hand: asked up to 20,000 times, each over a few tables, networkx takes 17 times as long.
    """
    reached = {start}
    edge = [start]
    while edge:
        new = (neighbors[edge.pop()] & allowed) - reached
        reached |= new
        edge.extend(new)
    return frozenset(reached)


def _approximate(graph: networkx.Graph, required: frozenset[str]) -> frozenset[str]:
    import networkx
    from networkx.algorithms.approximation import steiner_tree

    names = list(graph)
    # Numbers for names: the order of sets of strings differs from process to process.
    numbered = networkx.Graph()
    numbered.add_nodes_from(range(len(names)))
    position = {name: number for number, name in enumerate(names)}
    numbered.add_edges_from((position[one], position[other]) for one, other in graph.edges)
    terminals = sorted(position[name] for name in required)
    tree = steiner_tree(numbered, terminals, method="mehlhorn")
    return frozenset(names[number] for number in tree.nodes)
