"""A report that a command writes into the work tree is read in every kind of sandbox."""

from __future__ import annotations

from bot.repair.workspace.observe import observe
from tests.contract.conftest import Kind

SECONDS = 600.0
WRITES = """\
sleep 0.05; mkdir -p "target/a b" && printf '%s' '<testsuite><testcase classname="a.B" name="c">\
<failure message="1 is not 2"/></testcase><testcase classname="a.B" name="d"/></testsuite>' \
>"target/a b/TEST-a.B.xml"; exit 1"""


async def test_a_written_report_is_read(kind: Kind) -> None:
    """As long as it is the command's own: the next one leaves it where it is."""
    sandbox = await kind.open()
    seen = await observe(sandbox, WRITES, timeout=SECONDS)
    assert [(each.test, each.message) for each in seen.failing] == [("a.B::c", "1 is not 2")]
    assert seen.passed == {"a.B::d"}
    later = await observe(sandbox, "false", timeout=SECONDS)
    assert later.failing_ids == {"false"}
    assert not later.passed
