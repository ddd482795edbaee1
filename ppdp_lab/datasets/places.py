"""Long lists of names, and the places that several data sets share, grouped as their hierarchies group them."""

from __future__ import annotations


def listing(text: str) -> list[str]:
    """Names separated by semicolons, however the text is broken into lines.

    >>> listing("Grade 12, no diploma; GED")
    ['Grade 12, no diploma', 'GED']
    """
    return [" ".join(name.split()) for name in text.split(";")]


def weighted(text: str) -> dict[str, float]:
    """Names separated by semicolons, each with its weight behind it.

    >>> weighted("New York 194; Maine 13")
    {'New York': 194.0, 'Maine': 13.0}
    """
    return {name: float(weight) for name, weight in (entry.rsplit(" ", 1) for entry in listing(text))}


def joined(groups: dict[str, dict[str, float]]) -> dict[str, float]:
    """The members of all groups.

    >>> joined({"North": {"Maine": 13}, "South": {"Texas": 251}})
    {'Maine': 13, 'Texas': 251}
    """
    return {name: weight for members in groups.values() for name, weight in members.items()}


# Inhabitants in hundred thousands, roughly, as weights: what matters is the skew.
STATES = {
    "Northeast": weighted("""
        Connecticut 36; Maine 13; Massachusetts 65; New Hampshire 13; New Jersey 88; New York 194; Pennsylvania 127;
        Rhode Island 11; Vermont 6"""),
    "Midwest": weighted("""
        Illinois 128; Indiana 65; Iowa 30; Kansas 29; Michigan 99; Minnesota 53; Missouri 60; Nebraska 18;
        North Dakota 7; Ohio 115; South Dakota 8; Wisconsin 57"""),
    "South Atlantic": weighted("""
        Delaware 9; District of Columbia 6; Florida 188; Georgia 97; Maryland 58; North Carolina 95; South Carolina 46;
        Virginia 80; West Virginia 19"""),
    "South Central": weighted("""
        Alabama 48; Arkansas 29; Kentucky 43; Louisiana 45; Mississippi 30; Oklahoma 38; Tennessee 63; Texas 251"""),
    "West": weighted("""
        Alaska 7; Arizona 64; California 373; Colorado 50; Hawaii 14; Idaho 16; Montana 10; Nevada 27; New Mexico 21;
        Oregon 38; Utah 28; Washington 67; Wyoming 6"""),
}
INHABITANTS = joined(STATES)
REGIONS = {"Northeast and Midwest": ["Northeast", "Midwest"], "South and West": ["South", "West"]}

# World regions with the birthplaces in each, the most frequent first.
BIRTHPLACES = {
    region: listing(text)
    for region, text in {
        "United States": """
            United States; Puerto Rico; Guam; US Virgin Islands; American Samoa; Northern Mariana Islands""",
        "Northern and Central America": """
            Mexico; El Salvador; Canada; Guatemala; Honduras; Nicaragua; Panama; Costa Rica; Belize; Bermuda""",
        "Caribbean": """
            Cuba; Dominican Republic; Jamaica; Haiti; Trinidad and Tobago; Barbados; Bahamas; Grenada; Dominica;
            Saint Lucia; Saint Vincent; Antigua and Barbuda; Saint Kitts and Nevis; Montserrat; Aruba; Martinique;
            Guadeloupe""",
        "South America": """
            Colombia; Peru; Ecuador; Brazil; Guyana; Venezuela; Argentina; Chile; Bolivia; Uruguay; Paraguay; Suriname;
            French Guiana""",
        "Europe": """
            Germany; England; Poland; Italy; Russia; Ukraine; Ireland; Portugal; Romania; Bosnia and Herzegovina;
            France; Greece; Scotland; Spain; Netherlands; Albania; Bulgaria; Hungary; Serbia; Sweden; Belarus; Croatia;
            Lithuania; Czechia; Austria; Switzerland; Belgium; Moldova; Norway; Denmark; North Macedonia; Latvia;
            Slovakia; Finland; Wales; Estonia; Northern Ireland; Azores; Kosovo; Iceland; Malta; Montenegro; Slovenia;
            Luxembourg""",
        "Asia": """
            Philippines; India; China; Vietnam; South Korea; Japan; Iran; Taiwan; Pakistan; Thailand; Laos; Hong Kong;
            Bangladesh; Iraq; Cambodia; Israel; Lebanon; Turkey; Indonesia; Armenia; Syria; Myanmar; Nepal; Jordan;
            Afghanistan; Malaysia; Uzbekistan; Sri Lanka; Saudi Arabia; Yemen; Georgia; Kuwait; Kazakhstan; Singapore;
            Azerbaijan; Mongolia; Bhutan; Macau; Palestine; United Arab Emirates; Kyrgyzstan""",
        "Africa and Oceania": """
            Nigeria; Ethiopia; Egypt; Ghana; Kenya; Somalia; Australia; Liberia; South Africa; Morocco; Cape Verde;
            Sierra Leone; Sudan; Eritrea; Cameroon; Fiji; Senegal; Uganda; New Zealand; Tanzania; Zimbabwe; Tonga;
            Samoa; Algeria""",
    }.items()
}
