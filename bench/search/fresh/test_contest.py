import unittest

import contest


class Words(unittest.TestCase):
    def test_long(self):
        self.assertEqual(contest.shortened("localization"), "l10n")
        self.assertEqual(contest.shortened("internationalization"), "i18n")

    def test_short(self):
        self.assertEqual(contest.shortened("word"), "word")
        self.assertEqual(contest.shortened("abcdefghij"), "abcdefghij")

    def test_year(self):
        self.assertEqual(contest.next_distinct_year(1987), 2013)
        self.assertEqual(contest.next_distinct_year(2013), 2014)

    def test_stones(self):
        self.assertEqual(contest.removed_stones("RRG"), 1)
        self.assertEqual(contest.removed_stones("RRRRR"), 4)
        self.assertEqual(contest.removed_stones(""), 0)


class Queues(unittest.TestCase):
    def test_one_second(self):
        self.assertEqual(contest.after_seconds("BGGBG", 1), "GBGGB")

    def test_two_seconds(self):
        self.assertEqual(contest.after_seconds("BGGBG", 2), "GGBGB")

    def test_nothing_to_do(self):
        self.assertEqual(contest.after_seconds("GGGB", 1), "GGGB")

    def test_advancing(self):
        self.assertEqual(contest.advancing([10, 9, 8, 7, 7, 7, 5, 5], 5), 6)
        self.assertEqual(contest.advancing([0, 0, 0, 0], 2), 0)
        self.assertEqual(contest.advancing([3, 2, 1], 1), 1)

    def test_dangerous(self):
        self.assertFalse(contest.dangerous("001001"))
        self.assertTrue(contest.dangerous("1000000001"))
        self.assertTrue(contest.dangerous("0111", run=3))
        self.assertFalse(contest.dangerous("000000"))
        self.assertTrue(contest.dangerous("0000000"))


class Numbers(unittest.TestCase):
    def test_middle(self):
        self.assertEqual(contest.steps_to_middle([[0, 0, 0], [0, 0, 1], [0, 0, 0]]), 1)
        self.assertEqual(contest.steps_to_middle([[1, 0, 0], [0, 0, 0], [0, 0, 0]]), 2)
        self.assertEqual(contest.steps_to_middle([[0]]), -1)

    def test_coins(self):
        self.assertEqual(contest.least_coins([3, 3]), 2)
        self.assertEqual(contest.least_coins([2, 1, 2]), 2)
        self.assertEqual(contest.least_coins([1, 9, 1]), 1)

    def test_taxis(self):
        self.assertEqual(contest.taxis([1, 2, 4, 3, 3]), 4)
        self.assertEqual(contest.taxis([2, 3, 4, 4, 2, 1, 3, 1]), 5)
        self.assertEqual(contest.taxis([1, 1, 1]), 1)
        self.assertEqual(contest.taxis([2, 1, 1, 1]), 2)
        self.assertEqual(contest.taxis([3, 3, 2]), 3)

    def test_rise(self):
        self.assertEqual(contest.longest_rise([2, 2, 1, 3, 4, 1]), 3)
        self.assertEqual(contest.longest_rise([2, 2, 9]), 3)
        self.assertEqual(contest.longest_rise([]), 0)


if __name__ == "__main__":
    unittest.main()
