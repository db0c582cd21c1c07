"""Each thing that a question may want, in ten wordings or more of different people."""

import pytest

from clausewise.question.asked import AskedKind
from clausewise.question.reading import QuestionReading
from clausewise.question.tokens import corrected
from clausewise.signals.linking.columns import asked_function


def _reading(question: str) -> QuestionReading:
    return QuestionReading(question, "")


AVERAGE = [
    "What is the average price of a book?",
    "average price of books",
    "avg price per category",
    "Give me the mean price.",
    "What's the typical price of a book?",
    "How much does a book cost on average?",
    "On average, how long is a trip?",
    "how long do trips take on average",
    "How many books does a customer order on average?",
    "Show the averaged price of all books",
    "What is the averge price?",
    "price on average",
]
SUM = [
    "What is the total price?",
    "total revenue 2020",
    "Give the sum of all amounts.",
    "What are the combined sales?",
    "What is the overall amount?",
    "Show the summed amount of each store.",
    "Compute the totals of the sales.",
    "the totla amount paid",
    "sum of payments per customer",
    "What is the altogether amount?",
]
COUNT = [
    "How many orders are there?",
    "Number of orders per store",
    "What is the count of orders?",
    "Count the orders.",
    "Tell me the number of orders.",
    "how many in 2020?",
    "nubmer of orders",
    "Give me a tally of orders.",
    "headcount of the teams",
    "num of orders",
    "We need to know how many orders were placed.",
]


@pytest.mark.parametrize(
    ("question", "function"), [(q, "avg") for q in AVERAGE] + [(q, "sum") for q in SUM]
)
def test_aggregates(question: str, function: str) -> None:
    assert function in {asked_function(item) for item in _reading(question).asked}


@pytest.mark.parametrize("question", COUNT)
def test_counts(question: str) -> None:
    assert AskedKind.COUNT in {item.kind for item in _reading(question).asked}


@pytest.mark.parametrize(
    "question",
    [
        "the players who on average score most",
        "players with an average over 3",
        "which team has players that on average are tall",
    ],
)
def test_an_average_that_describes_is_not_asked_for(question: str) -> None:
    assert "avg" not in {asked_function(item) for item in _reading(question).asked}


BOUNDS = {
    ">=": [
        "at least 3", "no fewer than 3", "not fewer than 3", "a minimum of 3", "not under 3",
        "3 or more", "3 or above", "3 and up", "no less than 3", "not below 3", "3 plus",
        "equal to or greater than 3", "starting from 3", "since 2010", "3 or older", "not before 3",
        "at a minimum 3", "from 2010 onward", "3 and over", "at laest 3".replace("laest", "least"),
    ],
    "<=": [
        "at most 3", "no more than 3", "not over 3", "a maximum of 3", "up to 3", "3 or fewer",
        "3 or less", "3 and under", "not above 3", "no longer than 3", "no older than 3",
        "at the most 3", "3 or below", "not to exceed 3", "capped at 3", "3 or cheaper",
        "equal to or less than 3", "no later than 3",
    ],
    ">": [
        "more than 3", "over 3", "above 3", "greater than 3", "in excess of 3", "exceeding 3",
        "heavier than 3", "pricier than 3", "more expensive than 3", "deeper than 3", "beyond 3",
        "surpassing 3", "exceeded 3", "later than 3", "older then 3",
    ],
    "<": [
        "less than 3", "under 3", "below 3", "fewer than 3", "cheaper than 3", "lighter than 3",
        "less expensive than 3", "sooner than 3", "narrower than 3", "prior to 3", "before 3",
        "beneath 3", "colder than 3", "smaller then 3",
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("phrase", "operator"), [(phrase, key) for key in BOUNDS for phrase in BOUNDS[key]]
)
def test_comparatives(phrase: str, operator: str) -> None:
    assert [cue.name for cue in _reading(f"items with {phrase}").comparatives] == [operator]


def test_a_second_bound_is_no_ending_of_the_first() -> None:
    found = _reading("over 30 and under 50, or older than 60").comparatives
    assert [(cue.name, cue.text) for cue in found] == [
        (">", "over"), ("<", "under"), (">", "older than")
    ]  # fmt: skip


@pytest.mark.parametrize(
    "question",
    [
        "customers without orders", "customers w/o orders", "customers who never ordered",
        "all customers except those from Spain", "customers other than Ann",
        "customers apart from Ann", "customers excluding Ann", "customers but not companies",
        "customers lacking an order", "customers with no order", "customers who didn't order",
        "customers who have not ordered", "everyone aside from Ann", "customers that arent active",
        "customers with the exception of Ann", "customers witout orders",
    ],
)  # fmt: skip
def test_negations(question: str) -> None:
    assert len(_reading(question).negations) == 1


@pytest.mark.parametrize(
    "question",
    ["no of orders", "names without duplicates", "not older than 30", "no longer than 3 km",
     "not earlier than 2010", "no cheaper than 5"],
)  # fmt: skip
def test_no_negations(question: str) -> None:
    assert not _reading(question).negations


@pytest.mark.parametrize(
    "question",
    [
        "the different countries", "distinct countries", "unique countries",
        "countries without duplicates", "countries without repetition", "list uniquely the names",
        "deduplicated list of names", "names, no duplicates", "distinctive names",
        "countries without repeats", "differnt countries",
    ],
)  # fmt: skip
def test_distinct(question: str) -> None:
    assert _reading(question).cues("distinct")


@pytest.mark.parametrize(
    "question",
    [
        "avg price per category", "average price for each category", "price by every category",
        "How many orders does each store have?", "For each store, how many orders are there?",
        "number of orders per store", "Per store, show the sum of orders.",
        "Show for every store the number of orders.", "orders per store, counted",
        "What is the total of each store?",
    ],
)  # fmt: skip
def test_groups(question: str) -> None:
    groups = [item for item in _reading(question).asked if item.kind is AskedKind.GROUP]
    assert any({"category", "store"} & set(item.words) for item in groups)


HIGHEST = ["highest", "largest", "biggest", "greatest", "most expensive", "priciest", "costliest",
           "heaviest", "busiest", "hottest", "widest", "top-rated", "best-paid", "richest",
           "hihgest", "longest"]  # fmt: skip
LOWEST = ["lowest", "smallest", "least expensive", "cheapest", "lightest", "coldest", "narrowest",
          "fewest", "shortest", "poorest", "quietest", "lowest-paid", "cheapst"]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "end"), [(w, "highest") for w in HIGHEST] + [(w, "lowest") for w in LOWEST]
)
def test_superlatives(word: str, end: str) -> None:
    assert [cue.name for cue in _reading(f"the {word} item").superlatives] == [end]


KEYWORDS = [
    ("avg price per category", ["plain avg price", "group category"]),
    ("top 3 stores by revenue", ["plain top 3 store"]),
    ("customers w/o orders", ["plain customer"]),
    ("number of orders per store", ["count order", "group store"]),
    ("name and phone of employees hired after 2019", ["plain name", "plain phone"]),
    ("cheapest product", ["plain cheapest product"]),
    ("list of employees", ["plain employee"]),
    ("emails of all customers in Spain", ["plain email"]),
    ("oldest farm, name", ["plain oldest farm", "plain name"]),
    ("product names, prices", ["plain product name", "plain price"]),
    ("employees hired 2020", ["plain employee"]),
]


@pytest.mark.parametrize(("question", "expected"), KEYWORDS)
def test_keywords_without_a_request(question: str, expected: list[str]) -> None:
    asked = [f"{item.kind.value} {' '.join(item.words)}" for item in _reading(question).asked]
    assert asked == expected


@pytest.mark.parametrize(
    "question",
    [
        "Pull the names of the singers.", "Extract the names of the singers",
        "gimme the names of the singers", "Get me the names of the singers",
        "Retrieve the names of the singers", "We need the names of the singers",
        "Please can you list the names of the singers?", "Obtain the names of the singers",
        "Can someone give me the names of the singers?", "Gather the names of the singers",
        "We'd like the names of the singers", "I'm after the names of the singers",
        "Could you tell us the names of the singers?", "names of the singers please",
    ],
)  # fmt: skip
def test_requests(question: str) -> None:
    asked = [item for item in _reading(question).asked if item.required]
    assert [(item.kind.value, item.words) for item in asked] == [("plain", ("name",))]


@pytest.mark.parametrize(
    ("question", "implied"),
    [
        ("the cheapest product", "price"),
        ("How expensive is it?", "price"),
        ("the oldest farm", "age"),
        ("When was it built?", "date"),
        ("Where is it?", "city"),
        ("Who is it?", "name"),
        ("the tallest tower", "height"),
        ("the heaviest fish", "weight"),
        ("the best paid worker", "salary"),
        ("the most popular song", "popularity"),
        ("the hottest day", "temperature"),
        ("how many women", "gender"),
    ],
)
def test_columns_that_adjectives_speak_of(question: str, implied: str) -> None:
    assert implied in _reading(question).implied
    assert implied not in _reading("Show it.").implied


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("hihgest", "highest"), ("averge", "average"), ("nubmer", "number"), ("oldst", "oldest"),
        ("betwen", "between"), ("witout", "without"), ("totla", "total"), ("maxmium", "maximum"),
        ("lumber", "lumber"), ("sorter", "sorter"), ("spcies", "spcies"), ("betty", "betty"),
        ("toyota", "toyota"), ("mst", "mst"),
    ],
)  # fmt: skip
def test_misspelt_words(written: str, read: str) -> None:
    assert corrected(written) == read
