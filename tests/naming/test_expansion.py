"""Names of schemas in words: abbreviations, units, prefixes, labels and descriptions."""

import pytest

from clausewise.databases.model import Column, Schema, Table
from clausewise.naming.expansion import expanded, read_name


def table(name: str, *columns: str) -> Table:
    """A table whose columns are given as `name` or `name:TYPE`."""
    parts = [(column, *column.partition(":")) for column in columns]
    return Table(name, tuple(Column(part[1], part[3]) for part in parts))


SCHEMA = Schema(
    (
        table("frm", "frm_id:INT", "farm_nm:TEXT", "dist_km:REAL", "area_ha:REAL", "lat:REAL",
              "long:REAL", "reg_cd:TEXT", "yr_est:INT", "wtr_lvl_m:REAL", "farmname:TEXT"),
        table("employee", "emp_id:INT", "emp_nm:TEXT", "emp_lname:TEXT", "hire_dt:DATE",
              "sal_usd:REAL", "commis_pct:REAL", "dept_no:INT", "tel_no:TEXT"),
        table("sales_order", "so_id:INT", "so_qty:INT", "so_tot_amt:REAL", "cust_id:INT",
              "avg_dlvry_hrs:REAL", "price_min:REAL", "play_min:INT", "temp_c:REAL"),
        table("tbl_prod", "prodId:INT", "ProdDesc:TEXT", "dist_cd:TEXT", "airportcode:TEXT"),
    )
)  # fmt: skip


@pytest.mark.parametrize(
    ("owner", "column", "phrase"),
    [
        ("frm", "farm_nm", "farm name"),
        ("frm", "dist_km", "distance"),
        ("frm", "area_ha", "area"),
        ("frm", "lat", "latitude"),
        ("frm", "long", "longitude"),
        ("frm", "reg_cd", "region code"),
        ("frm", "wtr_lvl_m", "water level"),
        ("frm", "farmname", "farm name"),
        ("employee", "emp_nm", "employee name"),
        ("employee", "emp_lname", "employee last name"),
        ("employee", "hire_dt", "hire date"),
        ("employee", "sal_usd", "salary"),
        ("employee", "commis_pct", "commission"),
        ("employee", "dept_no", "department number"),
        ("employee", "tel_no", "telephone number"),
        ("sales_order", "so_qty", "sale order quantity"),
        ("sales_order", "so_tot_amt", "sale order total amount"),
        ("sales_order", "cust_id", "customer id"),
        ("sales_order", "avg_dlvry_hrs", "average delivery"),
        ("sales_order", "price_min", "price minimum"),
        ("sales_order", "play_min", "play"),
        ("sales_order", "temp_c", "temperature"),
        ("tbl_prod", "ProdDesc", "product description"),
        ("tbl_prod", "airportcode", "airport code"),
    ],
)
def test_names_of_teams(owner: str, column: str, phrase: str) -> None:
    assert " ".join(expanded(SCHEMA).column(owner, column).phrase) == phrase


@pytest.mark.parametrize(
    ("owner", "column", "own"),
    [
        ("employee", "emp_nm", "name"),
        ("employee", "emp_lname", "last name"),
        ("sales_order", "so_tot_amt", "total amount"),
        ("frm", "frm_id", "id"),
        ("frm", "farm_nm", "name"),
        ("employee", "hire_dt", "hire date"),
    ],
)
def test_a_prefix_that_repeats_the_table_may_be_left_out(owner: str, column: str, own: str) -> None:
    assert " ".join(expanded(SCHEMA).column(owner, column).own) == own


@pytest.mark.parametrize(
    ("name", "phrase"),
    [("frm", "farm"), ("tbl_prod", "product"), ("sales_order", "sale order")],
)
def test_tables(name: str, phrase: str) -> None:
    assert " ".join(expanded(SCHEMA).table(name).phrase) == phrase


@pytest.mark.parametrize(
    ("owner", "column", "units"),
    [
        ("frm", "dist_km", ("kilometer",)),
        ("frm", "wtr_lvl_m", ("meter",)),
        ("employee", "sal_usd", ("dollar",)),
        ("employee", "commis_pct", ("percent",)),
        ("sales_order", "play_min", ("minute",)),
        ("sales_order", "price_min", ()),
        ("sales_order", "temp_c", ("celsius",)),
        ("sales_order", "so_qty", ()),
    ],
)
def test_units_are_kept_apart(owner: str, column: str, units: tuple[str, ...]) -> None:
    names = expanded(SCHEMA).column(owner, column)
    assert names.units == units
    assert not set(units) & names.words
    assert set(" ".join(units).split()) <= names.said


def test_the_type_decides_between_meanings() -> None:
    names = expanded(SCHEMA)
    assert names.column("frm", "dist_km").phrase == ("distance",)
    assert names.column("tbl_prod", "dist_cd").phrase == ("district", "code")
    assert "distance" in names.column("tbl_prod", "dist_cd").alternatives


def test_a_description_decides_before_everything_else() -> None:
    column = Column("ra_scr", "REAL", description="The rating score given by a renter")
    described = Column("dist", "REAL", description="District of the shop")
    unlisted = Column("bthcty", "TEXT", label="birth city")
    names = expanded(Schema((Table("shop", (column, described, unlisted)),)))
    assert names.column("shop", "ra_scr").phrase[-1:] == ("score",)
    assert names.column("shop", "dist").phrase == ("district",)
    assert ("birth", "city") in names.column("shop", "bthcty").phrases


def test_an_unlisted_token_takes_the_word_of_the_schema_that_it_abbreviates() -> None:
    schema = Schema((table("orchard", "orchrd_size"), table("tree", "orchrd", "kind")))
    names = expanded(schema).column("tree", "orchrd")
    assert names.phrase == ("orchard",)
    assert names.sources["orchard"] == "schema"


def test_spelled_names_stay_as_they_are() -> None:
    schema = Schema((table("singer", "Song_Name", "releaseYear", "Age", "Address1"),))
    names = expanded(schema)
    assert names.column("singer", "Song_Name").phrases == (("song", "name"),)
    assert names.column("singer", "releaseYear").phrases == (("release", "year"),)
    assert names.column("singer", "Address1").phrases == (("address", "1"),)


def test_what_is_in_no_schema_is_read_by_itself() -> None:
    assert read_name("tot_amt").phrase == ("total", "amount")
    assert expanded(SCHEMA).column(None, "avg_qty").phrase == ("average", "quantity")
    assert expanded(SCHEMA).table("custs").phrase == ("customer",)
    assert read_name("").words == frozenset()
    assert read_name("名前").phrase == ("名前",)


def test_look_ups_ignore_case_and_sources_say_where_words_are_from() -> None:
    names = expanded(SCHEMA).column("EMPLOYEE", "EMP_NM")
    assert names.sources["name"] == "abbreviation"
    assert names.sources["nm"] == "name"
    assert names.sources["employee"] == "table"


def test_made_once_for_a_schema() -> None:
    assert expanded(SCHEMA) is expanded(SCHEMA)
