from bst import Tree, balanced

KEYS = [50, 30, 70, 20, 40, 60, 80]


def test_insert():
    tree = Tree([*KEYS, 30])
    assert list(tree) == sorted(KEYS)
    assert tree.levels() == [[50], [30, 70], [20, 40, 60, 80]]


def test_contains():
    tree = Tree(KEYS)
    assert 60 in tree
    assert 20 in tree
    assert 65 not in tree
    assert 1 not in Tree()


def test_delete_leaf():
    tree = Tree(KEYS)
    tree.delete(20)
    assert tree.levels() == [[50], [30, 70], [40, 60, 80]]


def test_delete_with_one_child():
    tree = Tree([5, 3, 2])
    tree.delete(3)
    assert tree.levels() == [[5], [2]]
    tree = Tree([5, 7, 8])
    tree.delete(7)
    assert tree.levels() == [[5], [8]]


def test_delete_root():
    tree = Tree(KEYS)
    tree.delete(50)
    assert list(tree) == [20, 30, 40, 60, 70, 80]
    assert tree.root.key == 60
    tree.delete(1)
    assert len(list(tree)) == 6


def test_floor():
    tree = Tree(KEYS)
    assert tree.floor(65) == 60
    assert tree.floor(60) == 60
    assert tree.floor(99) == 80
    assert tree.floor(10) is None


def test_balanced():
    assert balanced(Tree(KEYS).root)
    assert balanced(None)
    assert balanced(Tree([1, 2]).root)
    assert not balanced(Tree([1, 2, 3]).root)
    assert not balanced(Tree([5, 4, 3, 6]).root) is False
    assert not balanced(Tree([5, 4, 3, 2, 6]).root)
