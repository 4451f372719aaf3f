"""Old ciphers."""

from string import ascii_lowercase as letters


def caesar(text, shift):
    """Move every letter; case and everything else stay."""
    moved = []
    for char in text:
        if char.lower() not in letters:
            moved.append(char)
            continue
        new = letters[(letters.index(char.lower()) + shift) % 26]
        moved.append(new.upper() if char.isupper() else new)
    return "".join(moved)


def vigenere(text, key):
    """Move letters by those of a key that repeats; other characters use none of it up."""
    used = 0
    out = ""
    for char in text:
        if char.isalpha():
            out += caesar(char, letters.index(key[used % len(key)]))
            used += 1
        else:
            out += char
    return out


def is_palindrome(text):
    """Whether it reads the same backwards, letters and digits alone."""
    plain = [char.lower() for char in text if char.isalnum()]
    return plain == plain[::-1]
