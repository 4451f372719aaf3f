"""The proof card of a patch of ours: what its verification showed, in the rows that any change has."""

from __future__ import annotations

from collections.abc import Iterator

from bot.model import Attempt, GuardFinding, Report, Reproduction, Severity, Verification
from bot.model.observation import names_test
from bot.model.proof_card import Fact, FactKind, ProofCard, Row, RowKind, RowState
from bot.model.specification import RequestKind
from bot.reporting.failure_reason import reason
from bot.reporting.markdown import bullets
from bot.reporting.proof import attempt_of, ran_none, suite_proof
from bot.reporting.proof_card import above_fold, fact_lists
from bot.reporting.prose import line
from bot.reporting.reasons import proof_rows
from bot.reporting.reasons import verification as reasons


def card_of(report: Report) -> ProofCard | None:
    """Return the card of a report's patch; None where nothing was verified."""
    attempt = attempt_of(report)
    verification = attempt.verification if attempt is not None else None
    if attempt is None or verification is None or verification.target is None:
        return None
    commands = report.commands
    rows = [
        _tests(report, verification),
        _suite(report.reproduction, verification),
        *_mutants(verification),
        *(row for row in verification.rows if row.kind is not RowKind.CAPABILITIES),
        *_capabilities(verification),
        *_runs(verification),
    ]
    order = list(RowKind)
    return ProofCard(
        report.head,
        "",
        tuple(sorted(rows, key=lambda row: order.index(row.kind))),
        setup=commands.setup if commands is not None else (),
        test=commands.test if commands is not None else "",
        notes=tuple(_notes(attempt)),
    )


def card(report: Report, *, brief: bool = False) -> str:
    """Return what a pull request shows of the card of a report's patch, as Markdown; else nothing."""
    found = card_of(report)
    return above_fold(found, brief=brief) if found is not None else ""


def evidence(report: Report) -> str:
    """Return what stands below that table as Markdown: the facts in their lists, and the notes."""
    found = card_of(report)
    if found is None:
        return ""
    return "\n\n".join(filter(None, (fact_lists(found), bullets(found.notes))))


def _tests(report: Report, verification: Verification) -> Row:
    target = verification.target
    seen = report.reproduction.observation if report.reproduction is not None else None
    ran = (target.command,) if target is not None else ()
    if report.kind is RequestKind.CHANGE or seen is None or target is None:
        return Row(RowKind.TESTS, RowState.NOT_SHOWN, proof_rows.NO_TEST_SHOWS_IT, ran=ran)
    mended = [failure for failure in seen.named if failure.test not in target.failing_ids]
    runs = max(1, len(verification.runs))
    facts = tuple(
        Fact(
            FactKind.PROVEN,
            (proof_rows.test_proves if names_test(failure.test) else proof_rows.problem_gone)(
                failure.test, reason(failure)
            ),
            failure.test,
            failure.file,
            failure.line,
        )
        for failure in mended
    )
    if not facts and target.ok:
        facts = (Fact(FactKind.PROVEN, proof_rows.command_proves(target.command), target.command),)
    state = RowState.SHOWN if target.ok else RowState.NOT_SHOWN
    named = [names_test(failure.test) for failure in (mended if target.ok else target.named)]
    tests, problems = named.count(True), named.count(False)
    said = (
        proof_rows.mended(tests, runs, problems=problems)
        if target.ok
        else proof_rows.still_fail(tests, problems=problems)
    )
    return Row(RowKind.TESTS, state, said, facts, ran)


def _suite(reproduction: Reproduction | None, verification: Verification) -> Row:
    suite = verification.suite or verification.target
    ran = (suite.command,) if suite is not None else ()
    baseline = reproduction.baseline if reproduction is not None else None
    if verification.new_failures:
        facts = tuple(
            Fact(
                FactKind.REFUTED,
                proof_rows.test_broken(failure.test, reason(failure)),
                failure.test,
                failure.file,
                failure.line,
            )
            for failure in verification.new_failures
        )
        said = proof_rows.broken(len(verification.new_failures))
        return Row(RowKind.SUITE, RowState.REFUTED, said, facts, ran)
    if verification.uncompared or suite is None:
        said = line(verification.uncompared) or proof_rows.NOT_COMPARED
        return Row(RowKind.SUITE, RowState.UNDECIDED, said, ran=ran)
    if ran_none(suite) or (verification.suite is None and not (suite.passed or suite.counts)):
        return Row(RowKind.SUITE, RowState.UNDECIDED, proof_rows.NO_TEST_RUN, ran=ran)
    before = baseline.passed if baseline is not None else frozenset[str]()
    still = len(before & suite.passed)
    said = proof_rows.nothing_broke(still, len(before), ran) if still else suite_proof(verification)
    return Row(RowKind.SUITE, RowState.SHOWN, said or proof_rows.WHOLE_SUITE_PASSES, ran=ran)


def _mutants(verification: Verification) -> Iterator[Row]:
    results = verification.mutants
    if results is None or any(row.kind is RowKind.MUTANTS for row in verification.rows):
        return
    facts = tuple(
        Fact(
            FactKind.NOT_COVERED,
            proof_rows.survives(survivor.file, survivor.line, survivor.says),
            file=survivor.file,
            line=survivor.line,
        )
        for survivor in results.survivors
    )
    state = RowState.NOT_SHOWN if facts else RowState.SHOWN
    yield Row(RowKind.MUTANTS, state, line(reasons.caught(results), limit=600), facts)


def _capabilities(verification: Verification) -> Iterator[Row]:
    """Yield what the patch brings, with what guards and runs found for a person to judge."""
    row = next((row for row in verification.rows if row.kind is RowKind.CAPABILITIES), None)
    told = (item for item in verification.findings if item.severity is not Severity.NOTE)
    known = {fact.text for fact in row.facts} if row is not None else set[str]()
    more = tuple(fact for fact in map(_fact, told) if fact.text not in known)
    if more:
        facts = (*more, *(row.facts if row is not None else ()))
        yield Row(RowKind.CAPABILITIES, RowState.NOT_SHOWN, proof_rows.findings(len(facts)), facts)
    elif row is not None:
        yield row


def _fact(finding: GuardFinding) -> Fact:
    kind = FactKind.REFUTED if finding.severity is Severity.REJECT else FactKind.NOT_JUDGED
    return Fact(kind, line(finding.message), finding.rule, finding.file, finding.line)


def _runs(verification: Verification) -> Iterator[Row]:
    runs = len(verification.runs)
    if runs > 1 and not any(row.kind is RowKind.STABILITY for row in verification.rows):
        passed = sum(not code for code in verification.runs)
        state = RowState.SHOWN if passed == runs else RowState.REFUTED
        yield Row(RowKind.STABILITY, state, proof_rows.repeated(passed, runs))


def _notes(attempt: Attempt) -> Iterator[str]:
    verification = attempt.verification
    if verification is not None:
        notes = (item for item in verification.findings if item.severity is Severity.NOTE)
        yield from (line(remark) for remark in verification.remarks)
        yield from (line(item.message) for item in notes)
        if verification.wrong_fixes is not None:
            yield line(reasons.wrong_fixes_caught(verification.wrong_fixes), limit=600)
