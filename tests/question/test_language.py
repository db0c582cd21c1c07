import pytest

from clausewise.question.language import unreadable_language
from experiments.english_words.run import common_words

OTHERS = {
    "German": [
        "Wie viele Kunden gibt es in jeder Stadt?",
        "Zeige alle orders mit status 'shipped'",
        "Was ist der durchschnittliche Preis der Produkte?",
        "Nenne die Namen aller Lehrer",
        "Kunden ohne Bestellungen",
        "Durchschnittlicher Preis pro Kategorie",
    ],
    "French": [
        "Combien de clients y a-t-il par ville ?",
        "Quels sont les noms des employés qui gagnent plus de 5000 ?",
        "Donnez le prix moyen de chaque catégorie",
    ],
    "Spanish": [
        "¿Cuántos clientes hay en cada ciudad?",
        "Muestra los nombres de los empleados con salario mayor que 5000",
        "Precio medio por categoría",
    ],
    "Portuguese": [
        "Quantos clientes há em cada cidade?",
        "Mostre os nomes dos funcionários com salário maior que 5000",
    ],
    "Chinese": ["每个城市有多少客户?", "查询每个 category 的平均 price"],
    "Russian": ["Сколько клиентов в каждом городе?", "Покажите имена сотрудников"],
    "Turkish": ["Her şehirde kaç müşteri var?", "En çok ürün satan kim?", "Tüm şehirler"],
    "others": [
        "Hoeveel klanten zijn er in elke stad?",
        "Ilu jest klientów w każdym mieście?",
        "Mitkä ovat asiakkaiden nimet Helsingissä?",
        "顧客は何人いますか",
        "고객은 몇 명입니까?",
    ],
}
ENGLISH = [
    "avg price per category",
    "top 5 customers by revenue",
    "oldest patient",
    "cust nm addr dist cd",
    "list cust nm and addr",
    "LIST ALL CUSTOMERS IN PARIS",
    "Sales of Rio de la Plata",
    "songs by Los Lobos and El Mariachi de la Noche",
    'Who wrote "La vie en rose"?',
    "customers with note 'Wie viele Kunden gibt es in jeder Stadt'",
    "What is the population of 北京?",
    "Show me Élodie's café orders",
    "Wht r teh nams of custmers",
    "telescopes observing exoplanets",
    "dist_km of trips",
    "Einstein",
]


@pytest.mark.parametrize("question", [text for listed in OTHERS.values() for text in listed])
def test_other_languages_are_not_read(question: str) -> None:
    assert "only English is read" in (unreadable_language(question) or "")


@pytest.mark.parametrize("question", ENGLISH)
def test_english_is_read(question: str) -> None:
    assert unreadable_language(question) is None


@pytest.mark.parametrize("question", ["", "   ", "???", "2010", "A1-77"])
def test_a_question_without_words_is_left_to_the_signals(question: str) -> None:
    assert unreadable_language(question) is None


def test_the_language_is_named() -> None:
    reason = unreadable_language("Wie viele Kunden gibt es?")
    assert reason == "the question seems to be in German; only English is read"


def test_the_english_words_are_those_of_several_databases() -> None:
    questions = [(f"db{at}", "List the frobs and their Names, 'quoted' once") for at in range(4)]
    words = common_words([*questions, ("db1", "the glorps")])
    assert words == ["and", "frob", "once", "the", "their"]
