"""Names of places that several stand-ins use, grouped as their hierarchies group them."""

from __future__ import annotations

# Inhabitants in hundred thousands, roughly, as weights: what matters is the skew.
STATES: dict[str, dict[str, float]] = {
    "Northeast": {
        "Connecticut": 36,
        "Maine": 13,
        "Massachusetts": 65,
        "New Hampshire": 13,
        "New Jersey": 88,
        "New York": 194,
        "Pennsylvania": 127,
        "Rhode Island": 11,
        "Vermont": 6,
    },
    "Midwest": {
        "Illinois": 128,
        "Indiana": 65,
        "Iowa": 30,
        "Kansas": 29,
        "Michigan": 99,
        "Minnesota": 53,
        "Missouri": 60,
        "Nebraska": 18,
        "North Dakota": 7,
        "Ohio": 115,
        "South Dakota": 8,
        "Wisconsin": 57,
    },
    "South Atlantic": {
        "Delaware": 9,
        "District of Columbia": 6,
        "Florida": 188,
        "Georgia": 97,
        "Maryland": 58,
        "North Carolina": 95,
        "South Carolina": 46,
        "Virginia": 80,
        "West Virginia": 19,
    },
    "South Central": {
        "Alabama": 48,
        "Arkansas": 29,
        "Kentucky": 43,
        "Louisiana": 45,
        "Mississippi": 30,
        "Oklahoma": 38,
        "Tennessee": 63,
        "Texas": 251,
    },
    "West": {
        "Alaska": 7,
        "Arizona": 64,
        "California": 373,
        "Colorado": 50,
        "Hawaii": 14,
        "Idaho": 16,
        "Montana": 10,
        "Nevada": 27,
        "New Mexico": 21,
        "Oregon": 38,
        "Utah": 28,
        "Washington": 67,
        "Wyoming": 6,
    },
}

BIRTHPLACES: dict[str, str] = {
    "United States": """
        United States, Puerto Rico, Guam, US Virgin Islands, American Samoa, Northern Mariana Islands""",
    "Northern and Central America": """
        Mexico, El Salvador, Canada, Guatemala, Honduras, Nicaragua, Panama, Costa Rica, Belize, Bermuda""",
    "Caribbean": """
        Cuba, Dominican Republic, Jamaica, Haiti, Trinidad and Tobago, Barbados, Bahamas, Grenada, Dominica,
        Saint Lucia, Saint Vincent, Antigua and Barbuda, Saint Kitts and Nevis, Montserrat, Aruba, Martinique,
        Guadeloupe""",
    "South America": """
        Colombia, Peru, Ecuador, Brazil, Guyana, Venezuela, Argentina, Chile, Bolivia, Uruguay, Paraguay, Suriname,
        French Guiana""",
    "Europe": """
        Germany, England, Poland, Italy, Russia, Ukraine, Ireland, Portugal, Romania, Bosnia and Herzegovina, France,
        Greece, Scotland, Spain, Netherlands, Albania, Bulgaria, Hungary, Serbia, Sweden, Belarus, Croatia,
        Lithuania, Czechia, Austria, Switzerland, Belgium, Moldova, Norway, Denmark, North Macedonia, Latvia,
        Slovakia, Finland, Wales, Estonia, Northern Ireland, Azores, Kosovo, Iceland, Malta, Montenegro, Slovenia,
        Luxembourg""",
    "Asia": """
        Philippines, India, China, Vietnam, South Korea, Japan, Iran, Taiwan, Pakistan, Thailand, Laos, Hong Kong,
        Bangladesh, Iraq, Cambodia, Israel, Lebanon, Turkey, Indonesia, Armenia, Syria, Myanmar, Nepal, Jordan,
        Afghanistan, Malaysia, Uzbekistan, Sri Lanka, Saudi Arabia, Yemen, Georgia, Kuwait, Kazakhstan, Singapore,
        Azerbaijan, Mongolia, Bhutan, Macau, Palestine, United Arab Emirates, Kyrgyzstan""",
    "Africa and Oceania": """
        Nigeria, Ethiopia, Egypt, Ghana, Kenya, Somalia, Australia, Liberia, South Africa, Morocco, Cape Verde,
        Sierra Leone, Sudan, Eritrea, Cameroon, Fiji, Senegal, Uganda, New Zealand, Tanzania, Zimbabwe, Tonga,
        Samoa, Algeria""",
}


def birthplaces() -> dict[str, list[str]]:
    """The birthplaces of each world region, the most frequent first.

    >>> birthplaces()["Caribbean"][:2]
    ['Cuba', 'Dominican Republic']
    """
    return {region: [" ".join(name.split()) for name in names.split(",")] for region, names in BIRTHPLACES.items()}
