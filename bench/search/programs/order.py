"""Put tasks in an order that respects what they need."""


def ordered(needs):
    """Return tasks, each after everything that it needs; raises ValueError for a circle."""
    done = []
    under_way = set()

    def visit(task):
        if task in done:
            return
        if task in under_way:
            raise ValueError(f"{task} needs itself")
        under_way.add(task)
        for need in sorted(needs.get(task, ())):
            visit(need)
        under_way.remove(task)
        done.append(task)

    for task in sorted(needs):
        visit(task)
    return done
