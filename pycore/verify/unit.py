"""Words and signs that may follow a number. A unit is recognised and compared by name, never converted."""

_NAMES = """
mm millimeter millimeters millimetre millimetres мм
cm centimeter centimeters centimetre centimetres см
m meter meters metre metres м метр метра метров
km kilometer kilometers kilometre kilometres км километр километра километров
in inch inches
ft foot feet
yd yard yards
mi mile miles
mg milligram milligrams мг
g gram grams г грамм грамма граммов
kg kilogram kilograms кг килограмм килограмма килограммов
lb lbs pound pounds
oz ounce ounces
ml mL milliliter milliliters мл
l L liter liters litre litres л литр литра литров
ms millisecond milliseconds мс
s sec second seconds с секунда секунды секунд
min minute minutes мин минута минуты минут
h hr hrs hour hours ч час часа часов
day days день дня дней
week weeks неделя недели недель
month months месяц месяца месяцев
year years год года лет
m/s м/с
km/h км/ч
mph
N newton newtons
J joule joules Дж
W watt watts Вт
V volt volts В
Hz hertz Гц
K kelvin kelvins
rad radian radians
cent cents цент цента центов
point points
unit units
"""
_CURRENCIES = """
$ dollar dollars USD доллар доллара долларов
€ euro euros EUR евро
£ GBP
¥ yen JPY
₽ руб руб. рубль рубля рублей RUB
₹ rupee rupees INR
"""
_SCALES = {
    10**3: "thousand thousands тысяча тысячи тысяч",
    10**6: "million millions миллион миллиона миллионов",
    10**9: "billion billions миллиард миллиарда миллиардов",
    10**12: "trillion trillions триллион триллиона триллионов",
}


def _aliases(table: str) -> dict[str, str]:
    rows = [line.split() for line in table.strip().splitlines()]
    return {alias: row[0] for row in rows for alias in row}


UNITS = _aliases(_NAMES)
CURRENCIES = _aliases(_CURRENCIES)
CURRENCY_SIGNS = "$€£¥₽₹"
SCALES = {word: factor for factor, words in _SCALES.items() for word in words.split()}
PERCENT_WORDS = frozenset(["%", "percent", "процент", "процента", "процентов"])
DEGREE_WORDS = frozenset(["°", "degree", "degrees", "градус", "градуса", "градусов"])


def unit_name(words: str) -> str | None:
    """Canonical name of a listed unit, with a power of two or three if it carries one; None when it is not listed.

    >>> unit_name("centimeters^2")
    'cm^2'
    """
    base, _, power = words.partition("^")
    base, power = base.strip(), power.strip().removeprefix("{").removesuffix("}").strip()
    if power not in ("", "2", "3") or ("^" in words and not power):
        return None
    # Symbols are case-sensitive (mm is not Mm), whole words are not.
    name = UNITS.get(base) or (UNITS.get(base.lower()) if len(base) > 3 else None)
    return name and name + (f"^{power}" if power else "")


def currency_name(words: str) -> str | None:
    """The sign of a listed currency, or None.

    >>> currency_name("Dollars")
    '$'
    """
    return CURRENCIES.get(words) or (CURRENCIES.get(words.lower()) if len(words) > 3 else None)
