"""The words that the perturbations use, written for them: no list of the package is read."""

from __future__ import annotations


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in text.split())


ABBREVIATIONS = _pairs(
    """
    name:nm number:num date:dt code:cd description:descr address:addr amount:amt quantity:qty
    year:yr month:mth country:ctry city:cty customer:cust student:stud department:dept
    employee:emp location:loc type:typ template:tmpl document:doc position:pos driver:drv
    average:avrg airport:arpt flight:flt source:src destination:dest abbreviation:abbr
    version:ver paragraph:para semester:sem course:crs degree:deg program:prog category:cat
    publisher:publ attribute:attr weight:wt height:ht capacity:cap manager:mgr district:distr
    product:prod teacher:tchr commander:cmdr result:res details:dtl language:lang level:lvl
    status:stat duration:dur milliseconds:ms points:pts current:curr permanent:perm line:ln
    state:st phone:ph release:rel horsepower:hp cylinders:cyl model:mdl maker:mkr continent:cont
    registered:regd standings:stnd qualifying:qual middle:mid first:frst last:lst gender:gndr
    """
)
"""Whole words as teams shorten them; others lose their vowels, see `naming.abbreviated`."""

SYNONYMS = _pairs(
    """
    country:nation city:town location:place singer:vocalist concert:performance stadium:arena
    capacity:seating song:track theme:motto student:pupil teacher:instructor course:class
    hometown:birthplace grade:mark employee:worker shop:store district:borough bonus:premium
    manager:boss museum:gallery visitor:guest staff:personnel pet:animal weight:mass sex:gender
    gender:sex major:discipline advisor:supervisor airline:carrier airport:airfield
    abbreviation:acronym source:origin destination:target battle:fight ship:vessel
    result:outcome commander:leader injured:wounded document:record paragraph:passage
    description:explanation version:edition address:residence semester:term department:faculty
    degree:diploma section:part enrolment:registration maker:manufacturer car:vehicle
    horsepower:power superhero:hero colour:tint attribute:trait circuit:racetrack driver:pilot
    constructor:team points:score position:standing nationality:citizenship forename:givenname
    surname:lastname fastest:quickest speed:velocity type:kind details:particulars level:tier
    customer:client price:cost phone:telephone template:form visit:stay continent:landmass
    membership:subscription transcript:report street:road author:writer book:volume
    """
)
"""Nouns and what another person calls the same, in names and in questions."""

PHRASES = (
    ("how many of", "what number of"),
    ("list out", "write out"),
    ("than average", "than the mean"),
    ("how many", "what number of"),
    ("total number of", "overall count of"),
    ("number of", "count of"),
    ("what is", "tell me"),
    ("what are", "tell me"),
    ("list", "write out"),
    ("show", "present"),
    ("give", "hand over"),
    ("find", "look up"),
    ("return", "get"),
    ("provide", "supply"),
    ("calculate", "work out"),
    ("identify", "determine"),
    ("average", "mean"),
    ("maximum", "largest"),
    ("minimum", "smallest"),
    ("highest", "greatest"),
    ("lowest", "smallest"),
    ("oldest", "eldest"),
    ("different", "distinct"),
    ("distinct", "different"),
    ("for each", "for every"),
    ("each", "every"),
    ("more than", "over"),
    ("at least", "no fewer than"),
    ("at most", "no more than"),
    ("less than", "under"),
    ("fewer than", "under"),
    ("greater than", "exceeding"),
    ("ascending order", "increasing order"),
    ("descending order", "decreasing order"),
    ("sorted by", "arranged by"),
    ("ordered by", "arranged by"),
    ("along with", "together with"),
    ("as well as", "and also"),
    ("do not", "don't"),
    ("does not", "doesn't"),
    ("did not", "didn't"),
    ("without any", "lacking any"),
    ("located in", "situated in"),
    ("percentage", "share in percent"),
    ("contain", "include"),
    ("belong to", "are part of"),
)
"""Phrases of questions, and what another person writes; the first that fits a place is taken."""

STOP_WORDS = frozenset(
    word
    for line in (
        "a an the of is are was were be been do does did have has had what which who whom whose",
        "that this these those there show list give find return display tell me us we our you",
        "your i please all some any it its their them his her he she they to as at on can could",
        "would will",
    )
    for word in line.split()
)
"""What somebody leaves out who writes keywords; relations such as "by" and "from" stay."""
