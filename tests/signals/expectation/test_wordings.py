"""The same request in ten wordings leads one to expect the same query."""

from __future__ import annotations

import pytest

from clausewise.expectation import packaged_expectation

WORDINGS = {
    ("aggregate", "count"): (
        "How many farms are there in each region?",
        "Count the farms of each region.",
        "What is the number of farms per region?",
        "number of farms by region",
        "Show the total number of farms for every region.",
        "For each region, how many farms do we have?",
        "Please give me the count of farms in each region.",
        "How many different farms does each region have?",
        "I need to know how many farms there are per region",
        "Return the region and the number of its farms.",
    ),
    ("aggregate", "avg"): (
        "What is the average weight of the cows?",
        "Find the average weight of all cows.",
        "On average, how heavy are the cows?",
        "average weight of cows",
        "Show me the mean weight of the cows.",
        "Give the average cow weight.",
        "What's the average of the weights of cows?",
        "Calculate the average weight for cows.",
        "Could you tell me the average weight of our cows?",
        "List the average weight of the cows in Texas.",
    ),
    ("extremum", "high"): (
        "Which farm has the most cows?",
        "What is the name of the farm with the highest number of cows?",
        "Find the farm that has the largest number of cows.",
        "Show the farm with the most cows.",
        "farm with the most cows",
        "List the name of the farm with the maximum number of cows.",
        "Which of the farms has the greatest number of cows?",
        "Give me the farm with the highest income.",
        "What is the most expensive cow?",
        "Return the name of the farm with the largest area.",
    ),
    ("negation", "not"): (
        "Which farms do not have any cows?",
        "List the farms that have no cows.",
        "Show the names of farms without cows.",
        "Find the farms that don't have a cow.",
        "What are the names of the farms that do not own a mill?",
        "Which farmers never sold a cow?",
        "How many farms do not have a mill?",
        "Names of farmers who have not sold any cow",
        "Return the farms that were not visited.",
        "Give the farms which are not in Texas.",
    ),
    ("direction", "more"): (
        "Which farms have more than 30 cows?",
        "List farms with over 30 cows.",
        "Show the farms whose area is greater than 30.",
        "Find farms with at least 30 cows.",
        "How many farms are larger than 30 hectares?",
        "What are the names of the farmers older than 30?",
        "Names of farms with more than 30 cows",
        "Give the farms with an income higher than 3000.",
        "Return all farms with an area above 30.",
        "Which farmers are over 30 years old?",
    ),
}
"""Attribute and class to wordings of requests that ask for it."""
MOST_MISSED = 2
"""What is "without" something is also found by a LEFT JOIN and IS NULL, which deny nothing."""


@pytest.mark.parametrize(("attribute", "label"), list(WORDINGS))
def test_ten_wordings_ask_for_the_same(attribute: str, label: str) -> None:
    missed = []
    for question in WORDINGS[attribute, label]:
        expected = packaged_expectation().shape(question, None)
        assert expected is not None, question
        found = expected.probabilities[attribute]
        if max(found, key=found.__getitem__) != label:
            missed.append((question, found))
    assert len(missed) <= MOST_MISSED, missed
