"""Events, priorities and undo."""

import heapq
from itertools import count


class Emitter:
    def __init__(self):
        self.listeners = {}

    def on(self, event, listener):
        self.listeners.setdefault(event, []).append(listener)
        return lambda: self.off(event, listener)

    def once(self, event, listener):
        def called(*arguments):
            self.off(event, called)
            listener(*arguments)

        self.on(event, called)

    def off(self, event, listener):
        if listener in self.listeners.get(event, []):
            self.listeners[event].remove(listener)

    def emit(self, event, *arguments):
        """Call all listeners; how many there were."""
        called = list(self.listeners.get(event, ()))
        for listener in called:
            listener(*arguments)
        return len(called)


class Tasks:
    """The most urgent first; among equals, the oldest."""

    def __init__(self):
        self.heap = []
        self.order = count()
        self.dropped = set()

    def add(self, name, priority=0):
        heapq.heappush(self.heap, (-priority, next(self.order), name))

    def drop(self, name):
        self.dropped.add(name)

    def take(self):
        while self.heap:
            _, _, name = heapq.heappop(self.heap)
            if name not in self.dropped:
                return name
            self.dropped.remove(name)
        raise IndexError("nothing to do")


class Document:
    def __init__(self, text=""):
        self.text = text
        self.undone = []
        self.past = []

    def write(self, text):
        self.past.append(self.text)
        self.text += text
        self.undone.clear()

    def undo(self):
        if not self.past:
            return False
        self.undone.append(self.text)
        self.text = self.past.pop()
        return True

    def redo(self):
        if not self.undone:
            return False
        self.past.append(self.text)
        self.text = self.undone.pop()
        return True
