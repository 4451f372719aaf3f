"""Prices of orders, and bills that are shared."""


def total_of(lines, discount, free_from):
    """Return the price of an order with its discount in percent and the cost of delivery."""
    goods = 0
    weight = 0
    for price, count, grams in lines:
        if count <= 0:
            continue
        goods += price * count
        weight += grams * count
    goods -= goods * discount // 100
    delivery = 0
    if goods < free_from:
        delivery = 300 + weight // 1000 * 50
    return goods + delivery


def shared(cents, people):
    """Return what each pays, so that nothing is left over; those who come first pay more."""
    if not people:
        return {}
    each, rest = divmod(cents, len(people))
    parts = {}
    for place, name in enumerate(people):
        parts[name] = each
        if place < rest:
            parts[name] += 1
    return parts
