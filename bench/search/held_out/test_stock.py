import pytest
from stock import NotEnough, Stock, discounted


@pytest.fixture
def shop():
    stock = Stock()
    stock.add("apple", 10, 0.5)
    stock.add("pear", 3, 0.75)
    return stock


def test_add_again_keeps_the_price(shop):
    shop.add("apple", 5)
    assert shop.items["apple"] == (15, 0.5)
    shop.add("apple", 1, 0.6)
    assert shop.items["apple"] == (16, 0.6)


@pytest.mark.parametrize("count", [0, -3])
def test_add_needs_a_count(shop, count):
    with pytest.raises(ValueError, match="positive"):
        shop.add("apple", count)


def test_take(shop):
    assert shop.take("apple", 4) == 2.0
    assert shop.items["apple"] == (6, 0.5)
    assert shop.log[-1] == ("take", "apple", 4)


def test_take_all(shop):
    shop.take("pear", 3)
    assert "pear" not in shop.items


def test_take_too_much(shop):
    with pytest.raises(NotEnough) as error:
        shop.take("pear", 4)
    assert str(error.value) == "4 pear wanted, 3 there"
    assert error.value.wanted == 4
    assert len(shop.log) == 2
    with pytest.raises(NotEnough):
        shop.take("plum", 1)


def test_worth(shop):
    assert shop.worth() == 7.25
    assert Stock().worth() == 0


def test_low(shop):
    shop.add("fig", 1, 1.0)
    shop.add("kiwi", 5, 1.0)
    assert shop.low() == ["fig", "pear"]
    assert shop.low(11) == ["fig", "pear", "kiwi", "apple"]


def test_receipt(shop):
    assert shop.receipt("pear", 2) == "2 x pear        1.50"


def test_discounted():
    assert discounted(200, 10) == 180
    assert discounted(50, 10, least=100) == 50
    assert discounted(100, 10, least=100) == 90
    assert discounted(10, 150) == 0
    assert discounted(9.99, 33) == 6.69
