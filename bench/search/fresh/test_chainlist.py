import unittest

from chainlist import Chain


class ChainTest(unittest.TestCase):
    def test_append(self):
        chain = Chain([1, 2])
        chain.append(3)
        self.assertEqual(list(chain), [1, 2, 3])
        self.assertEqual(len(chain), 3)

    def test_empty(self):
        self.assertEqual(list(Chain()), [])
        self.assertEqual(len(Chain()), 0)
        self.assertIsNone(Chain().middle())

    def test_insert(self):
        chain = Chain([1, 3])
        chain.insert(1, 2)
        chain.insert(0, 0)
        chain.insert(4, 4)
        self.assertEqual(list(chain), [0, 1, 2, 3, 4])
        self.assertEqual(len(chain), 5)

    def test_insert_nowhere(self):
        chain = Chain([1])
        for place in (-1, 2):
            with self.assertRaises(IndexError):
                chain.insert(place, 9)

    def test_remove(self):
        chain = Chain([1, 2, 3, 2])
        chain.remove(2)
        self.assertEqual(list(chain), [1, 3, 2])
        chain.remove(1)
        self.assertEqual(list(chain), [3, 2])
        self.assertEqual(len(chain), 2)

    def test_remove_what_is_not_there(self):
        with self.assertRaises(ValueError):
            Chain([1]).remove(2)

    def test_reverse(self):
        chain = Chain([1, 2, 3])
        chain.reverse()
        self.assertEqual(list(chain), [3, 2, 1])

    def test_find(self):
        chain = Chain("abcb")
        self.assertEqual(chain.find("b"), 1)
        self.assertEqual(chain.find("z"), -1)

    def test_middle(self):
        self.assertEqual(Chain([1, 2, 3]).middle(), 2)
        self.assertEqual(Chain([1, 2, 3, 4]).middle(), 3)

    def test_merged(self):
        self.assertEqual(list(Chain([1, 4, 6]).merged(Chain([2, 3, 7, 8]))), [1, 2, 3, 4, 6, 7, 8])
        self.assertEqual(list(Chain([1, 2]).merged(Chain())), [1, 2])
        self.assertEqual(list(Chain().merged(Chain([1]))), [1])
