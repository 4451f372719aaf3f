"""Paths and trees in graphs with weights: a dict of dicts, or a list of edges."""

import heapq
from collections import deque


def cheapest(graph, start, goal):
    """Return the least cost from start to goal, or None."""
    done = set()
    queue = [(0, start)]
    while queue:
        cost, node = heapq.heappop(queue)
        if node == goal:
            return cost
        if node in done:
            continue
        done.add(node)
        for neighbour, weight in graph.get(node, {}).items():
            if neighbour not in done:
                heapq.heappush(queue, (cost + weight, neighbour))
    return None


def fewest_hops(graph, start, goal):
    """Return a path with the fewest edges, or []."""
    came_from = {start: None}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        if node == goal:
            break
        for neighbour in graph.get(node, {}):
            if neighbour not in came_from:
                came_from[neighbour] = node
                queue.append(neighbour)
    if goal not in came_from:
        return []
    path = []
    node = goal
    while node is not None:
        path.append(node)
        node = came_from[node]
    return path[::-1]


def spanning_cost(nodes, edges):
    """Return the cost of the cheapest tree over all nodes, or None where they are not connected.

    Edges are (weight, one, other).
    """
    leader = {node: node for node in nodes}

    def find(node):
        while leader[node] != node:
            node = leader[node]
        return node

    total = joined = 0
    for weight, one, other in sorted(edges):
        first, second = find(one), find(other)
        if first != second:
            leader[first] = second
            total += weight
            joined += 1
    return total if joined == len(nodes) - 1 else None


def has_cycle(graph):
    """Whether one can walk in a circle, along the edges' directions."""
    open_nodes, closed = set(), set()

    def visit(node):
        if node in closed:
            return False
        if node in open_nodes:
            return True
        open_nodes.add(node)
        if any(visit(neighbour) for neighbour in graph.get(node, {})):
            return True
        open_nodes.remove(node)
        closed.add(node)
        return False

    return any(visit(node) for node in graph)


def all_costs(nodes, edges):
    """Return the least cost between every two nodes, as a dict of pairs; edges are (from, to, cost)."""
    costs = {(a, b): 0 if a == b else float("inf") for a in nodes for b in nodes}
    for one, other, cost in edges:
        costs[one, other] = min(cost, costs[one, other])
    for k in nodes:
        for i in nodes:
            for j in nodes:
                costs[i, j] = min(costs[i, j], costs[i, k] + costs[k, j])
    return costs


def in_degree_order(graph):
    """Return the nodes so that edges lead forward; raise ValueError where that can't be."""
    degrees = {node: 0 for node in graph}
    for neighbours in graph.values():
        for neighbour in neighbours:
            degrees[neighbour] = degrees.get(neighbour, 0) + 1
    ready = sorted(node for node, degree in degrees.items() if degree == 0)
    order = []
    while ready:
        node = ready.pop(0)
        order.append(node)
        for neighbour in sorted(graph.get(node, ())):
            degrees[neighbour] -= 1
            if degrees[neighbour] == 0:
                ready.append(neighbour)
    if len(order) < len(degrees):
        raise ValueError("a circle")
    return order
