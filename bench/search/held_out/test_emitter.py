import pytest
from emitter import Document, Emitter, Tasks


def test_emit():
    heard = []
    emitter = Emitter()
    emitter.on("a", heard.append)
    emitter.on("a", lambda value: heard.append(value * 2))
    assert emitter.emit("a", 3) == 2
    assert heard == [3, 6]
    assert emitter.emit("b", 1) == 0


def test_off():
    heard = []
    emitter = Emitter()
    stop = emitter.on("a", heard.append)
    stop()
    stop()
    assert emitter.emit("a", 1) == 0
    emitter.off("never", heard.append)
    assert heard == []


def test_once():
    heard = []
    emitter = Emitter()
    emitter.once("a", heard.append)
    emitter.on("a", heard.append)
    emitter.emit("a", 1)
    emitter.emit("a", 2)
    assert heard == [1, 1, 2]


def test_tasks():
    tasks = Tasks()
    tasks.add("wash")
    tasks.add("cook", 5)
    tasks.add("read", 1)
    tasks.add("eat", 5)
    assert [tasks.take() for _ in range(4)] == ["cook", "eat", "read", "wash"]
    with pytest.raises(IndexError):
        tasks.take()


def test_dropped():
    tasks = Tasks()
    tasks.add("a")
    tasks.add("b")
    tasks.drop("a")
    assert tasks.take() == "b"
    tasks.add("c")
    tasks.drop("c")
    tasks.add("d")
    tasks.add("c")
    assert tasks.take() == "d"
    assert tasks.take() == "c"


def test_undo_and_redo():
    document = Document("a")
    document.write("b")
    document.write("c")
    assert document.undo()
    assert document.text == "ab"
    assert document.undo()
    assert document.text == "a"
    assert not document.undo()
    assert document.redo()
    assert document.text == "ab"
    assert document.undo()
    assert document.text == "a"


def test_writing_ends_redo():
    document = Document()
    document.write("x")
    document.undo()
    document.write("y")
    assert not document.redo()
    assert document.text == "y"
