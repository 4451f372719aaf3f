"""Shortest paths in a graph without weights."""

from collections import deque


def distance(graph, start, goal):
    """Return the number of edges from start to goal, or None when there is no way."""
    queue = deque([(start, 0)])
    seen = {start}
    while queue:
        node, steps = queue.popleft()
        if node == goal:
            return steps
        for neighbour in graph.get(node, []):
            if neighbour not in seen:
                seen.add(neighbour)
                queue.append((neighbour, steps + 1))
    return None
