import pytest

from shop import OutOfStock, Shop


@pytest.fixture
def shop():
    return Shop({"pen": 2, "book": 10, "cup": 5}, {"pen": 30, "book": 3})


def test_sell(shop):
    assert shop.sell("pen", 2) == 4
    assert shop.stock["pen"] == 28


def test_sell_one(shop):
    assert shop.sell("book") == 10


def test_many_are_cheaper(shop):
    assert shop.sell("pen", 10) == 18
    assert shop.sell("pen", 9) == 18


def test_sold_out(shop):
    shop.sell("book", 3)
    assert "book" not in shop.stock
    with pytest.raises(OutOfStock, match="book: 0 left"):
        shop.sell("book")


def test_too_many(shop):
    with pytest.raises(OutOfStock):
        shop.sell("book", 4)
    assert shop.stock["book"] == 3
    with pytest.raises(OutOfStock):
        shop.sell("cup")


def test_deliver(shop):
    shop.deliver("cup", 4)
    shop.deliver("pen", 1)
    assert shop.stock == {"pen": 31, "book": 3, "cup": 4}
    for count in (0, -1):
        with pytest.raises(ValueError):
            shop.deliver("cup", count)


def test_stocks_are_apart():
    stock = {"pen": 1}
    one, other = Shop({"pen": 1}, stock), Shop({"pen": 1}, stock)
    one.sell("pen")
    assert other.stock == {"pen": 1}


def test_revenue(shop):
    shop.sell("pen", 3)
    shop.sell("book", 2)
    shop.sell("pen", 1)
    assert shop.revenue() == 28
    assert shop.revenue("pen") == 8
    assert shop.revenue("cup") == 0


def test_best_seller(shop):
    assert shop.best_seller() is None
    shop.sell("pen", 2)
    shop.sell("book", 3)
    assert shop.best_seller() == "book"
    shop.sell("pen", 1)
    assert shop.best_seller() == "book"
    shop.sell("pen", 1)
    assert shop.best_seller() == "pen"


def test_missing(shop):
    assert shop.missing({"pen": 30, "book": 5, "cup": 1}) == {"book": 2, "cup": 1}
    assert shop.missing({}) == {}


def test_receipt(shop):
    shop.sell("pen", 2)
    shop.sell("book")
    assert shop.receipt() == "2 x pen: 4.00\n1 x book: 10.00\ntotal: 14.00"


def test_restocked(shop):
    assert shop.restocked(5) == {"book": 2, "cup": 5}
    assert shop.restocked(3) == {"cup": 3}
