"""What the rewrites ask of a query and of the schema."""

from __future__ import annotations

from sqlglot import exp

from clausewise.databases import Schema, Table


def sources(tree: exp.Select) -> list[exp.Expr]:
    """Return the tables of FROM."""
    from_ = tree.args.get("from_")
    return (
        [] if from_ is None else [from_.this, *(join.this for join in tree.args.get("joins", []))]
    )


def only_inner(tree: exp.Select) -> bool:
    """Whether all joins are plain inner ones of tables."""
    joins = tree.args.get("joins") or []
    return all(isinstance(source, exp.Table) for source in sources(tree)) and not any(
        join.side or join.method or join.args.get("using") for join in joins
    )


def table_of(column: exp.Expr, tree: exp.Select, schema: Schema) -> Table | None:
    """Return the base table of a column, None where that is not plain."""
    if not isinstance(column, exp.Column) or not isinstance(column.this, exp.Identifier):
        return None
    found = []
    for source in sources(tree):
        table = schema.table(source.name) if isinstance(source, exp.Table) else None
        if table is None:
            return None
        if column.table and column.table.casefold() != source.alias_or_name.casefold():
            continue
        if table.column(column.name) is not None:
            found.append(table)
    return found[0] if len(found) == 1 else None


def never_null(column: exp.Expr, tree: exp.Select, schema: Schema) -> bool:
    """Whether a column is declared so that it holds no NULL, and no outer join adds one."""
    table = table_of(column, tree, schema)
    return table is not None and only_inner(tree) and holds_no_null(table, column.name)


def holds_no_null(table: Table, name: str) -> bool:
    """Whether a column is NOT NULL, or the number of the row."""
    column = table.column(name)
    if column is None:
        return False
    return column.not_null or (column.declared_type.upper() == "INTEGER" and is_key(table, name))


def is_key(table: Table, name: str) -> bool:
    """Whether a column is the primary key."""
    return [part.casefold() for part in table.primary_key] == [name.casefold()]


def free_name(tree: exp.Expr) -> str:
    """Return an alias that the query does not use."""
    used = {node.name.casefold() for node in tree.find_all(exp.Identifier, exp.TableAlias)}
    return next(name for number in range(99) if (name := f"x{number}") not in used)
