"""What the functors of the program mean."""

SOUNDS = ["bfpv", "cgjkqsxz", "dt", "l", "mn", "r"]
CODES = {letter: code for code, letters in enumerate(SOUNDS, 1) for letter in letters}


def soundex(name: str) -> str:
    digits = [CODES.get(letter, 0) for letter in name]
    kept = [d for i, d in enumerate(digits) if i and d and d != digits[i - 1]]
    return (name[0] + "".join(map(str, kept)) + "000")[:4]


def area(width: float, height: float) -> float:
    return width * height


def failing(x: int) -> int:
    return x // 0
