"""Graphs as {node: {neighbour: length}}."""

import heapq
from collections import deque


def shortest(graph, start, end):
    """Length of the shortest way, None when there is none."""
    best = {start: 0}
    heap = [(0, start)]
    while heap:
        length, node = heapq.heappop(heap)
        if node == end:
            return length
        if length > best[node]:
            continue
        for other, step in graph.get(node, {}).items():
            total = length + step
            if other not in best or total < best[other]:
                best[other] = total
                heapq.heappush(heap, (total, other))
    return None


def components(graph):
    """Connected parts of an undirected graph, each sorted, in order."""
    seen = set()
    parts = []
    for node in sorted(graph):
        if node in seen:
            continue
        part = []
        queue = deque([node])
        seen.add(node)
        while queue:
            current = queue.popleft()
            part.append(current)
            for other in graph[current]:
                if other not in seen:
                    seen.add(other)
                    queue.append(other)
        parts.append(sorted(part))
    return parts


def has_cycle(graph):
    """Whether a directed graph has a cycle."""
    done, path = set(), set()

    def visit(node):
        if node in path:
            return True
        if node in done:
            return False
        path.add(node)
        if any(visit(other) for other in graph.get(node, {})):
            return True
        path.remove(node)
        done.add(node)
        return False

    return any(visit(node) for node in graph)


class UnionFind:
    def __init__(self, count):
        self.parent = list(range(count))
        self.sets = count

    def find(self, item):
        while self.parent[item] != item:
            self.parent[item] = self.parent[self.parent[item]]
            item = self.parent[item]
        return item

    def union(self, one, other):
        one, other = self.find(one), self.find(other)
        if one == other:
            return False
        self.parent[other] = one
        self.sets -= 1
        return True


def spanning(count, edges):
    """Length of a minimum spanning forest; edges are (length, a, b)."""
    forest = UnionFind(count)
    return sum(length for length, a, b in sorted(edges) if forest.union(a, b))
