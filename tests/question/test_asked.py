"""What is asked for, as users write it: polite, passive, in capitals, without punctuation."""

import pytest

from clausewise.question.reading import QuestionReading

COUNTS = [
    ("How many singers are there?", ["count singer"]),
    ("how many singers are there", ["count singer"]),
    ("HOW MANY SINGERS ARE THERE?", ["count singer"]),
    ("How many singers do we have?", ["count singer"]),
    ("Could you please tell me how many singers there are?", ["count singer"]),
    ("Can you count the singers?", ["count singer"]),
    ("I want to know how many singers are French.", ["count singer"]),
    ("What is the number of singers?", ["count singer"]),
    ("what is the number of women", ["count woman"]),
    ("Please give the count of singers from France.", ["count singer"]),
    ("Count the singers.", ["count singer"]),
    ("Count the number of farms.", ["count farm"]),
    ("How many singers, and how many songs?", ["count singer", "count song"]),
    ("How many of the singers are French?", ["count"]),
    ("How many are French?", ["count"]),
    ("Of all singers, how many are French?", ["count"]),
    ("Find singers from France. How many are there?", ["plain singer", "count"]),
    ("How many different countries do singers come from?", ["count different country"]),
    ("How many songs were written by women?", ["count song"]),
    ("Show the number of singers per country.", ["count singer", "?group country"]),
    ("Would you mind counting the singers?", ["count singer"]),
]

REQUESTS = [
    ("Please list all singers.", ["plain singer"]),
    ("Name the singers.", ["plain singer"]),
    ("Tell me the singer.", ["plain singer"]),
    ("State the ids of singers.", ["plain id"]),
    ("Return name and age", ["plain name", "plain age"]),
    ("Give the names, please.", ["plain name"]),
    ("Could you list the name and the age of each singer?",
     ["plain name", "plain age", "?group singer"]),
    ("Can you show me the name, age, and country of every singer, please?",
     ["plain name", "plain age", "plain country", "?group singer"]),
    ("could you kindly give me the names of the singers", ["plain name"]),
    ("Would you mind listing the singers?", ["plain singer"]),
    ("Do you know the names of the singers?", ["plain name"]),
    ("I'd like to know the names of all singers.", ["plain name"]),
    ("I would like to see the singers", ["plain singer"]),
    ("I need the names of the singers", ["plain name"]),
    ("I'm looking for the youngest singer", ["plain youngest singer"]),
    ("Let me know the age of the singer.", ["plain age"]),
    ("Can you provide me with the names?", ["plain name"]),
    ("Can you buy songs?", ["yes_no can"]),
    ("Have any songs been sold?", ["yes_no have"]),
    ("Please calculate the average age of all singers.", ["plain average age"]),
    ("List the average age by country.", ["plain average age", "?group country"]),
    ("How many books written by women are there by year?", ["count book", "?group year"]),
    ("List the names with their ages.", ["plain name", "plain age"]),
    ("List the names of shops with the highest rent.", ["plain name"]),
    ("Show the oldest keeper: name and town.", ["plain oldest keeper", "plain name", "plain town"]),
    ("List the maximum, minimum and average age of singers.",
     ["plain maximum", "plain minimum", "plain average age"]),
    ("Show name, country, age for all singers ordered by age.",
     ["plain name", "plain country", "plain age"]),
    ("Sort the singers by age and show their names.", ["?plain singer", "plain name"]),
    ("Order the names by age.", ["plain name"]),
    ("If a singer is French, show the name.", ["plain name"]),
    ("Find the name and age of pets whose owner and vet are known.",
     ["plain name", "plain age"]),
]  # fmt: skip

PROPERTIES = [
    ("What are the singers' names?", ["plain name"]),
    ("what are the names of all singers", ["plain name"]),
    ("What is the student's name?", ["plain name"]),
    ("whats the name of the oldest singer", ["plain name"]),
    ("What's the singer's name?", ["plain name"]),
    ("What was the name and the age of the singer", ["plain name", "plain age"]),
    ("What are the first and last names of the students?", ["plain first", "plain last name"]),
    ("What is the name of the singer whose song was sold most?", ["plain name"]),
    ("What are the names and ages of singers who were born after 1990, and their countries?",
     ["plain name", "plain age", "plain country"]),
    ("For the singer named 'Joe', what is the age?", ["plain age"]),
    ("What is the difference between the ages of Ann and Bob?", ["plain difference"]),
    ("What are the dates of arrival and departure?", ["plain date", "?group departure"]),
]  # fmt: skip

WHICH = [
    ("Which singers are from France?", ["which singer"]),
    ("what singers are french", ["which singer"]),
    ("Which city has the most flights?", ["which city"]),
    ("WHICH CITY HAS THE MOST FLIGHTS", ["which city"]),
    ("Which singer's songs were sold most?", ["which song"]),
    ("Which of the singers is the oldest?", ["which singer"]),
    ("In which year was the singer born?", ["which year"]),
    ("In what year was the stadium built?", ["which year"]),
    ("What year was it?", ["which year"]),
    ("To which country does the singer belong?", ["which country"]),
    ("Whose songs were sold?", ["which song"]),
    ("Which city has the most flights, and how many?", ["which city", "count"]),
    ("Which people were born in May?", ["which person"]),
]

OTHER_KINDS = [
    ("Who sang the song?", ["person who"]),
    ("who's the oldest singer", ["person who"]),
    ("Who are the singers that were born before 1990?", ["person who"]),
    ("By whom was the song written?", ["person whom"]),
    ("Among the singers, who is the oldest?", ["person who"]),
    ("When was the stadium built?", ["time when"]),
    ("when did the concert take place", ["time when"]),
    ("Where was the singer born?", ["place where"]),
    ("where do the singers live", ["place where"]),
    ("How old is the singer?", ["measure old"]),
    ("How much does the ticket cost?", ["measure much"]),
    ("How much money was made?", ["measure much money"]),
    ("How tall is the tallest player?", ["measure tall"]),
    ("How often did he win?", ["measure often"]),
    ("By how much did it grow?", ["measure much"]),
    ("Show all information about the cars.", ["everything information"]),
    ("Give me all the details of the concerts.", ["everything detail"]),
    ("List all records of the table.", ["everything record"]),
    ("could you show me all the data of the singers", ["everything data"]),
    ("Is there a singer from Spain?", ["yes_no is"]),
    ("are there any singers from france", ["yes_no are"]),
    ("Did the singer win?", ["yes_no did"]),
    ("Was the song written by a woman?", ["yes_no was"]),
    ("Has the singer won an award?", ["yes_no has"]),
    ("Singers from Spain", ["plain singer"]),
    ("", []),
    ("?!", []),
]

GROUPS = [
    ("For each country, how many singers are there?", ["?group country", "count singer"]),
    ("How many singers are there in each country?", ["count singer", "?group country"]),
    ("how many singers are there per country", ["count singer", "?group country"]),
    ("What is the average age for every country?", ["plain average age", "?group country"]),
    ("What are the name and the number of songs of each singer?",
     ["plain name", "count song", "?group singer"]),
    ("For each city, what is the average age and the number of pets?",
     ["?group city", "plain average age", "count pet"]),
    ("Find the ids and names of each document, as well as its owner.",
     ["plain id", "plain name", "?group document", "plain owner"]),
]  # fmt: skip

SENTENCES = [
    ("Which singers are from France? Give me their names.", ["?which singer", "plain name"]),
    ("Which country has the most singers? Give its name.", ["?which country", "plain name"]),
    ("What are the names of players? Also show the ages.", ["plain name", "plain age"]),
    ("Who is the oldest singer? Also list the songs.", ["person who", "plain song"]),
    ("The singer was born in 1990. What is his name?", ["plain name"]),
    ("I have a list of singers. How many are from France?", ["count"]),
    ("Singers sing songs. Please list the songs. Thank you.", ["plain song"]),
]


@pytest.mark.parametrize(
    ("question", "expected"),
    [*COUNTS, *REQUESTS, *PROPERTIES, *WHICH, *OTHER_KINDS, *GROUPS, *SENTENCES],
)
def test_what_a_question_asks_for(question: str, expected: list[str]) -> None:
    items = QuestionReading(question, "").asked
    found = [
        ("" if item.required else "?") + f"{item.kind.value} {' '.join(item.words)}".strip()
        for item in items
    ]
    assert found == expected


def test_a_long_list_is_read() -> None:
    reading = QuestionReading("List " + "the name of a singer, " * 3_000, "")
    assert len(reading.asked) == 3_000
    assert len(QuestionReading("List names" + "," * 3_000, "").asked) == 1
