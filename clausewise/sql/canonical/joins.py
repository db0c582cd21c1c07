"""Rewrites of FROM: derived tables dissolved, outer joins made inner, needless joins dropped."""

from __future__ import annotations

from collections.abc import Iterable

from clausewise.sql.canonical.dependencies import Determined, equal_columns, same_value
from clausewise.sql.canonical.expressions import (
    has_query,
    nodes,
    query_expressions,
    relations_in,
    substitute,
)
from clausewise.sql.canonical.grouping import has_bare_column
from clausewise.sql.canonical.model import (
    Column,
    Expression,
    KeyFacts,
    OuterPart,
    Relation,
    RewriteNotes,
    SelectBlock,
)
from clausewise.sql.canonical.nulls import rejects_nulls


def dissolve(block: SelectBlock) -> bool:
    """Put a derived table's own tables in its place, where it is a filter over a join."""
    for relation in block.inner:
        query = relation.query
        if not isinstance(query, SelectBlock):
            continue
        if (
            _repeats_no_row(query)
            and not any(map(has_query, query.select))
            and not _compared_otherwise(block, relation)
        ):
            block.inner.remove(relation)
            block.inner += query.inner
            block.outer[:0] = query.outer
            block.where += query.where
        elif _wraps_groups(block, relation, query):
            _take_over(block, query)
        else:
            continue
        substitute(block, _outputs(relation, query))
        return True
    for part in block.outer:
        for relation in part.relations:
            query = relation.query
            if (
                isinstance(query, SelectBlock)
                and query.plain
                and query.inner
                and not query.outer
                and all(value[0] == "col" and value[1] in query.inner for value in query.select)
            ):
                for inner in query.inner:
                    inner.optional = True
                part.relations.remove(relation)
                part.relations += query.inner
                part.on += query.where
                substitute(block, _outputs(relation, query))
                return True
    return False


def _repeats_no_row(query: SelectBlock) -> bool:
    """Whether a query is a filter over a join, at most with a DISTINCT that drops nothing."""
    if not query.distinct:
        return query.plain
    query.distinct = False
    if query.plain and Determined(query, query.select).everything:
        return True
    query.distinct = True
    return False


def _outputs(relation: Relation, query: SelectBlock) -> dict[Column, Expression]:
    return {(relation, str(place)): value for place, value in enumerate(query.select)}


def _wraps_groups(block: SelectBlock, relation: Relation, query: SelectBlock) -> bool:
    """Whether a block only filters and projects the groups of one derived table."""
    nested = [part for part in query_expressions(block) if has_query(part)]
    return (
        block.relations == [relation]
        and not block.aggregated
        and query.aggregated
        and bool(query.group)
        and not (query.distinct or query.limit is not None or query.offset)
        and not any(relation in relations_in(part) for part in nested)
        and not any(map(has_query, query.select))
        and not has_bare_column(query)
        and not _compared_otherwise(block, relation)
    )


def _compared_otherwise(block: SelectBlock, relation: Relation) -> bool:
    """Whether a computed column is compared with anything but a number.

    Versions of SQLite differ in whether such a column of a derived table has an affinity.
    """
    for part in query_expressions(block):
        for node in nodes(part):
            if node[0] == "insub":
                sides = list(node[1])
            elif node[0] in ("cmp", "is"):
                sides = [node[-2], node[-1]]
                if any(side[0] == "num" for side in sides):
                    continue
            else:
                continue
            for side in sides:
                is_own = side[0] == "col" and side[1] is relation
                if is_own and relation.column(side[2]).affinity is None:
                    return True
    return False


def _take_over(block: SelectBlock, query: SelectBlock) -> None:
    block.inner, block.outer = query.inner, query.outer
    block.having = [*query.having, *block.where]
    block.where, block.group, block.aggregated = query.where, query.group, True


def promote(block: SelectBlock, notes: RewriteNotes) -> bool:
    """Make a LEFT JOIN an inner one, where rows without a partner are dropped or cannot be."""
    for part in block.outer:
        relations = set(part.relations)
        title = " and ".join(relation.title for relation in part.relations)
        if any(rejects_nulls(condition, relations) for condition in block.where):
            notes.add(
                f"A condition drops the rows in which {title} has no partner, "
                "so the outer join is an inner one."
            )
        elif (key := _kept_by_key(part, block)) is not None:
            child, facts = key
            _rest_on(child, facts, notes)
        else:
            continue
        block.outer.remove(part)
        for relation in part.relations:
            relation.optional = False
        block.inner += part.relations
        block.where += part.on
        return True
    return False


def _kept_by_key(part: OuterPart, block: SelectBlock) -> tuple[Relation, KeyFacts] | None:
    """Return the declared NOT NULL foreign key by which every row has its partner."""
    if len(part.relations) != 1 or part.relations[0].query is not None:
        return None
    parent = part.relations[0]
    pairs = [same_value(condition) for condition in part.on]
    for child in block.inner:
        for facts in child.facts.foreign_keys if child.query is None else ():
            wanted = [
                {(child, own), (parent, referred)}
                for own, referred in zip(facts.columns, facts.referred_columns, strict=True)
            ]
            if (
                facts.referred_table == parent.title.casefold()
                and all(child.column(own).not_null for own in facts.columns)
                and all(pair is not None and set(pair) in wanted for pair in pairs)
                and all(any(pair and set(pair) == one for pair in pairs) for one in wanted)
            ):
                return child, facts
    return None


def _rest_on(child: Relation, facts: KeyFacts, notes: RewriteNotes) -> None:
    names = ", ".join(child.column(own).name for own in facts.columns)
    notes.add(
        f"Every row of {child.title} has exactly one partner in {facts.referred_table}, "
        f"by the declared foreign key on {names}."
    )
    if (child.title, facts.columns) not in notes.foreign_keys:
        notes.foreign_keys.append((child.title, facts.columns))


def drop_outer(block: SelectBlock, is_set: bool, notes: RewriteNotes) -> bool:
    """Drop a LEFT JOIN of which nothing is used and which gives no row twice."""
    for part in block.outer:
        relations = set(part.relations)
        if relations & _used(block, but=part.on):
            continue
        title = " and ".join(relation.title for relation in part.relations)
        if is_set:
            notes.add(f"The outer join with {title} only repeats rows, and repetition is dropped.")
        else:
            others = [
                ("col", relation, key)
                for relation in block.relations
                if relation not in relations
                for key in relation.facts.columns
            ]
            if not Determined(block, others).fixed >= relations:
                continue
            notes.add(
                f"The outer join with {title} adds at most one partner, by its key, "
                "and nothing of it is used."
            )
        block.outer.remove(part)
        return True
    return False


def _used(block: SelectBlock, but: list[Expression]) -> set[Relation]:
    """Return the relations that a block uses outside of one list of conditions."""
    skipped = {id(part) for part in but}
    return {
        node[1]
        for part in query_expressions(block)
        if id(part) not in skipped
        for node in nodes(part)
        if node[0] == "col"
    }


def drop_inner(block: SelectBlock, notes: RewriteNotes) -> bool:
    """Drop an inner join of which only the key is used, where a foreign key gives the partner."""
    classes = equal_columns(block.where)
    for parent in block.inner:
        if parent.query is not None:
            continue
        for child in block.inner:
            if child is parent or child.query is not None:
                continue
            for facts in child.facts.foreign_keys:
                pairs = dict(zip(facts.referred_columns, facts.columns, strict=True))
                if (
                    facts.referred_table == parent.title.casefold()
                    and any(keys <= set(pairs) for keys in parent.facts.keys)
                    and all(
                        (child, own) in classes.get((parent, k), ()) for k, own in pairs.items()
                    )
                    and _keys_used(block, parent) <= set(pairs)
                ):
                    _replace(block, parent, child, pairs)
                    block.where += [
                        ("not", ("isnull", ("col", child, own)))
                        for own in facts.columns
                        if not child.column(own).not_null
                    ]
                    _rest_on(child, facts, notes)
                    return True
    return False


def _keys_used(block: SelectBlock, relation: Relation) -> set[str]:
    return {
        node[2]
        for part in query_expressions(block)
        for node in nodes(part)
        if node[0] == "col" and node[1] is relation
    }


def _replace(block: SelectBlock, gone: Relation, kept: Relation, pairs: dict[str, str]) -> None:
    """Take a relation out, with its columns read from another one."""
    block.inner.remove(gone)
    substitute(block, {(gone, key): ("col", kept, own) for key, own in pairs.items()})


def merge_copies(block: SelectBlock, notes: RewriteNotes) -> bool:
    """Make one of two copies of a table that are joined on its key."""
    classes = equal_columns(block.where)
    tables = [relation for relation in block.inner if relation.query is None]
    for number, kept in enumerate(tables):
        for gone in tables[number + 1 :]:
            if kept.facts is not gone.facts:
                continue
            for keys in kept.facts.keys:
                if all((kept, key) in classes.get((gone, key), ()) for key in keys):
                    block.where += [("not", ("isnull", ("col", kept, key))) for key in keys]
                    _replace(block, gone, kept, {key: key for key in kept.facts.columns})
                    notes.add(
                        f"{kept.title} is joined with itself on its key "
                        f"({_listed(kept, keys)}), so both are the same row."
                    )
                    return True
    return False


def _listed(relation: Relation, keys: Iterable[str]) -> str:
    return ", ".join(sorted(relation.column(key).name for key in keys))
