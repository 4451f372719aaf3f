"""What a JavaScript file or a `.d.ts` file exports, as griffe's objects; nothing of it runs.

CommonJS and ES modules are read as people and compilers write them, as far as it stands there in plain
words; a file that says it otherwise is `OPEN`: it may offer anything.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

import griffe
from tree_sitter import Node

from bot.code.script_names import names_in
from bot.code.syntax import content, field, text_of, walk
from bot.repair.culprit.package_api import OF_SCRIPTS, OPEN, Item, member

Reached = Callable[[str], griffe.Module | None]
"""Returns what a module exports that a file names; None for another package's."""

ES_MODULE = "es"
"""Label of a file with imports and exports of ES modules."""

_FUNCTIONS = frozenset({
    "function_declaration", "function_expression", "function_signature", "generator_function_declaration",
    "generator_function", "arrow_function", "method_definition", "method_signature",
    "abstract_method_signature", "function_type", "call_signature", "construct_signature",
})  # fmt: skip
_CLASSES = frozenset({
    "class_declaration", "abstract_class_declaration", "class", "interface_declaration", "object_type",
    "interface_body",
})  # fmt: skip
_LINK = re.compile(r"\{@link(?:code|plain)? ([\w.#]{1,80})")
_STAR = re.compile(r"(?m)^\s*\*? ?|^/\*\*|\*/$")
_PLAIN = re.compile(r"[\w$]+")
_WARNS = re.compile(r"warn|deprecat", re.IGNORECASE)


class ExportReader:
    """Reads one file."""

    def __init__(self, module: griffe.Module, reached: Reached, *, is_typed: bool) -> None:
        """Read into a module.

        Args:
            module: What is exported is added to it.
            reached: Reads other files.
            is_typed: Whether it is a `.d.ts` file.
        """
        self._module, self._reached, self._is_typed = module, reached, is_typed
        self._by_kind: dict[str, Callable[[Node, str], Item | None]] = {
            **dict.fromkeys(_FUNCTIONS, self._function),
            **dict.fromkeys(_CLASSES, self._class),
            **dict.fromkeys(("internal_module", "module"), self._namespace),
            **dict.fromkeys(("identifier", "type_identifier"), self._identifier),
            "variable_declarator": self._variable,
            "object": self._object,
            "member_expression": self._member,
        }
        self._locals: dict[str, list[Node]] = defaultdict(list)
        self._given: dict[str, dict[str, Node]] = defaultdict(dict)
        self._imported: dict[str, tuple[str, str]] = {}

    def read(self, root: Node) -> None:
        """Add what a file exports to its module."""
        for node in root.named_children:
            self._declare(node)
        for node in root.named_children:
            if node.type == "export_statement":
                self._module.labels.add(ES_MODULE)
                self._export(node)
            elif node.type == "expression_statement" and node.named_children:
                self._expression(node.named_children[0])
        is_silent = not self._module.members and any(
            node.type not in {"comment", "import_statement"} for node in root.named_children
        )
        if is_silent and not self._is_typed:
            self._module.labels.add(OPEN)  # it says it in some other way

    def _declare(self, node: Node) -> None:
        if node.type in {"ambient_declaration", "export_statement"}:
            for child in node.named_children:
                self._declare(child)
        elif node.type == "import_statement":
            self._import(node)
        elif node.type in {"lexical_declaration", "variable_declaration"}:
            for each in node.named_children:
                name = field(each, "name")
                if each.type == "variable_declarator" and name is not None:
                    self._locals[text_of(name)].append(each)
                    self._destructured(name, field(each, "value"))
        elif (name := field(node, "name")) is not None and name.type != "string":
            self._locals[text_of(name)].append(node)
        elif node.type == "expression_statement" and node.named_children:
            self._assigned(node.named_children[0])

    def _assigned(self, node: Node) -> None:
        """Note `function.name = value`."""
        left, right = field(node, "left"), field(node, "right")
        if (
            node.type == "assignment_expression"
            and left is not None
            and left.type == "member_expression"
        ):
            owner, name = (text_of(field(left, key)) for key in ("object", "property"))
            if right is not None:
                self._given[owner].setdefault(name, right)

    def _import(self, node: Node) -> None:
        said = content(source) if (source := field(node, "source")) is not None else ""
        for each in walk(node):
            if each.type == "import_specifier":
                name = text_of(field(each, "name"))
                self._imported[text_of(field(each, "alias")) or name] = said, name
            elif each.type == "namespace_import":
                self._imported[text_of(each.named_children[-1])] = said, "*"
            elif each.type == "import_clause":
                for child in each.named_children:
                    if child.type == "identifier":
                        self._imported[text_of(child)] = said, "default"

    def _destructured(self, pattern: Node, value: Node | None) -> None:
        said = _required(value)
        if pattern.type == "object_pattern" and said:
            for name, local in names_in(pattern):
                self._imported[text_of(local)] = said, text_of(name)

    def _export(self, node: Node) -> None:
        source = field(node, "source")
        said = content(source) if source is not None else ""
        declaration, value = field(node, "declaration"), field(node, "value")
        children = {child.type: child for child in node.children}
        if "export_clause" in children:
            for each in children["export_clause"].named_children:
                name = text_of(field(each, "name"))
                self._add(text_of(field(each, "alias")) or name, self._named(name, said))
        elif "namespace_export" in children:
            local = text_of(children["namespace_export"].named_children[-1])
            self._add(local, self._reached(said))
        elif "*" in children:
            self._all_of(said)
        elif "default" in children and (what := declaration or value) is not None:
            self._add("default", self._value(what))
        elif declaration is not None:
            for name in _declared(declaration):
                self._add(name, self._local(name))
        elif "=" in children:
            self._whole(node.named_children[-1])

    def _all_of(self, said: str) -> None:
        """Export what another module does, all but its default."""
        other = self._reached(said)
        if other is None or OPEN in other.labels:
            self._module.labels.add(OPEN)
        for name, item in members_of(other).items():
            if name != "default":
                self._add(name, item)

    def _expression(self, node: Node) -> None:
        """Read an assignment to `exports`, or what compilers write for one."""
        for each in walk(node, into=lambda inner: inner.type not in _FUNCTIONS):
            left, right = field(each, "left"), field(each, "right")
            if each.type == "assignment_expression" and left is not None and right is not None:
                self._exported(text_of(left), right)
            elif each.type == "call_expression":
                self._call(each)

    def _exported(self, left: str, right: Node) -> None:
        while (
            right.type == "assignment_expression" and (inner := field(right, "right")) is not None
        ):
            right = inner
        if left == "module.exports":
            self._whole(right)
        elif (found := re.fullmatch(r"(?:module\.)?exports\.([\w$]+)", left)) is not None:
            if found[1] == "__esModule":
                self._module.labels.add(ES_MODULE)
            elif right.type != "unary_expression":  # `exports.a = void 0` stands before the value
                self._add(found[1], self._value(right))

    def _call(self, node: Node) -> None:
        called = text_of(field(node, "function")).rpartition(".")[2]
        listed = field(node, "arguments")
        given = listed.named_children if listed is not None else []
        if called == "defineProperty" and len(given) > 1 and text_of(given[0]) == "exports":
            name = content(given[1])
            if name == "__esModule":
                self._module.labels.add(ES_MODULE)
            else:
                self._add(name, self._value(_returned(given[-1])))
        elif called == "__exportStar" and given:
            self._all_of(_required(given[0]))
        elif called == "__export" and given and given[-1].type == "object":
            for pair in given[-1].named_children:
                if (key := field(pair, "key")) is not None:
                    self._add(content(key), self._value(_returned(pair)))

    def _whole(self, value: Node) -> None:
        """Export one value: an object's names, another module, or something that can be called."""
        if text_of(value) in {"exports", "module.exports"}:
            return
        if value.type == "object":
            for each in value.named_children:
                self._property(each)
            return
        item = self._value(value)
        if item is None or item.is_attribute:
            self._module.labels.add(OPEN)
        elif item.is_module:
            self._module.labels |= item.labels
            for name, inner in members_of(item).items():
                self._add(name, inner)
        else:
            self._add("default", item)
        for owner in (text_of(value), "exports", "module.exports"):
            for name, given in self._given[owner].items():
                self._add(name, self._value(given))

    def _property(self, each: Node) -> None:
        match each.type:
            case "shorthand_property_identifier":
                self._add(text_of(each), self._named(text_of(each), ""))
            case "pair" if (key := field(each, "key")) is not None:
                self._add(content(key), self._value(field(each, "value")))
            case "method_definition":
                self._add(text_of(field(each, "name")), self._value(each))
            case "spread_element" if _required(each.named_children[0]):
                self._all_of(_required(each.named_children[0]))
            case "spread_element":
                self._module.labels.add(OPEN)

    def _add(self, name: str, item: Item | None) -> None:
        """Export something under a name; what can't be read is there all the same."""
        item = _attribute(name) if item is None else item
        if item.name != name or item.parent is not None:
            item = copied(item, name)
        before = self._module.members.get(name)
        if not isinstance(before, griffe.Function | griffe.Class):
            put(self._module, name, item)

    def _named(self, name: str, said: str) -> Item | None:
        """Return what a local name means, or what another module exports under it."""
        if not said and name in self._imported:
            said, name = self._imported[name]
        if not said:
            return self._local(name)
        other = self._reached(said)
        if other is None or name == "*":
            return other
        return member(other, name) or (other if name == "default" else None)

    def _local(self, name: str) -> Item | None:
        """Return what a file declares under a name: all declarations of it together."""
        if name in self._imported:
            return self._named(name, "")
        items = [
            item for node in self._locals.get(name, ()) if (item := self._value(node)) is not None
        ]
        functions = [item for item in items if isinstance(item, griffe.Function)]
        if len(functions) > 1:
            return _united(functions)
        found = next((item for item in items if not item.is_attribute), None)
        found = found or next(iter(items), None)
        if isinstance(found, griffe.Class):
            for other in items:
                for key, inner in members_of(other).items():
                    if key not in found.members:
                        put(found, key, inner)
        return found

    def _value(self, node: Node | None) -> Item | None:
        """Return what an expression or a declaration is; None where that is not told."""
        if node is None:
            return None
        name, said = text_of(field(node, "name")), _required(node)
        if said:
            return self._reached(said)
        read = self._by_kind.get(node.type)
        return read(node, name) if read is not None else None

    def _variable(self, node: Node, name: str) -> Item:
        typed = field(node, "type")
        told = self._value(typed.named_children[0]) if typed is not None else None
        made = self._value(field(node, "value"))
        item = made if told is None or told.is_attribute else told
        return item or _attribute(name)

    def _object(self, node: Node, name: str) -> Item:
        module = griffe.Module(name or "object")
        inner = ExportReader(module, self._reached, is_typed=self._is_typed)
        inner._locals, inner._imported = self._locals, self._imported
        for each in node.named_children:
            inner._property(each)
        return module

    def _identifier(self, node: Node, _name: str) -> Item | None:
        return self._named(text_of(node), "")

    def _member(self, node: Node, _name: str) -> Item | None:
        owner = self._value(field(node, "object"))
        return None if owner is None else member(owner, text_of(field(node, "property")))

    def _function(self, node: Node, name: str) -> griffe.Function:
        listed = field(node, "parameters") or field(node, "parameter")
        given = [listed] if listed is not None and listed.type == "identifier" else []
        given = given or (listed.named_children if listed is not None else [])
        item = griffe.Function(
            name or "function",
            parameters=griffe.Parameters(*_parameters(self, given)),
            returns=text_of(field(node, "return_type")).removeprefix(":").strip() or None,
            docstring=_said(node),
        )
        item.extra[OF_SCRIPTS] |= {"own": name, "body": text_of(field(node, "body"))}
        return item

    def _class(self, node: Node, name: str) -> griffe.Class:
        item = griffe.Class(name or "Class", docstring=_said(node))
        item.extra[OF_SCRIPTS] |= {"own": name, "body": ""}
        self._inherit(node, item)
        body = field(node, "body") or node
        made: dict[str, list[griffe.Function]] = defaultdict(list)
        for each in body.named_children:
            called = text_of(field(each, "name"))
            private = any(text_of(child) in {"private", "protected"} for child in each.children)
            if not called or private or called.startswith("#"):
                continue
            read = any(child.type in {"get", "set"} for child in each.children)
            typed = field(each, "type")
            inner = typed.named_children[0] if typed is not None and typed.named_children else None
            method = inner if inner is not None and inner.type == "function_type" else each
            if method.type in _FUNCTIONS and not read:
                key = "__init__" if called == "constructor" else called
                made[key].append(self._function(method, key))
            else:
                value = _attribute(called, _said(each))
                if not read and (inner is None or inner.type != "predefined_type"):
                    value.labels.add(OPEN)  # it may be called, too
                put(item, called, value)
        for key, functions in made.items():
            put(item, key, functions[0] if len(functions) == 1 else _united(functions))
        return item

    def _inherit(self, node: Node, item: griffe.Class) -> None:
        """Take the members of a base that is read; another one may bring anything."""
        for clause in walk(
            node, into=lambda inner: inner.type not in {"class_body", "interface_body"}
        ):
            if clause.type not in {"extends_clause", "extends_type_clause", "class_heritage"}:
                continue
            for base in clause.named_children:
                if base.type in {"identifier", "type_identifier", "member_expression"}:
                    found = self._value(base)
                    for name, inner in members_of(found).items():
                        put(item, name, copied(inner, name))
                    if found is None or OPEN in found.labels or not found.is_class:
                        item.labels.add(OPEN)
                elif base.type not in {"extends_clause", "implements_clause", "type_arguments"}:
                    item.labels.add(OPEN)

    def _namespace(self, node: Node, name: str) -> griffe.Module:
        module = griffe.Module(name)
        inner = ExportReader(module, self._reached, is_typed=self._is_typed)
        body = field(node, "body")
        for each in body.named_children if body is not None else ():
            inner._declare(each)
        for called in inner._locals:
            inner._add(called, inner._local(called))
        return module

    def properties(self, typed: Node) -> Iterator[tuple[str, bool]]:
        """Return the properties of a type of options, and whether each may be left out."""
        body: Node | None = typed
        if typed.type == "type_identifier":
            declared = self._locals.get(text_of(typed), ())
            body = next((field(node, "body") for node in declared if field(node, "body")), None)
        for each in body.named_children if body is not None and body.type in _CLASSES else ():
            name = field(each, "name")
            if name is not None:
                yield text_of(name), any(child.type == "?" for child in each.children)


def _parameters(file: ExportReader, given: Sequence[Node]) -> Iterator[griffe.Parameter]:
    """Return parameters; the properties of an object that is taken are given by name."""
    plain, named = griffe.ParameterKind.positional_or_keyword, griffe.ParameterKind.keyword_only
    seen: set[str] = set()
    for n, node in enumerate(given):
        pattern, value = field(node, "pattern") or node, field(node, "value")
        if pattern.type == "assignment_pattern":
            pattern, value = field(pattern, "left") or pattern, field(pattern, "right")
        if pattern.type in {"rest_pattern", "comment", "this"}:
            kind = griffe.ParameterKind.var_positional
            if pattern.type == "rest_pattern":
                yield griffe.Parameter(f"rest{n}", kind=kind)
            continue
        default = text_of(value) or ("undefined" if node.type == "optional_parameter" else None)
        name = text_of(pattern) if pattern.type == "identifier" else f"options{n}"
        seen.add(name)
        yield griffe.Parameter(name, kind=plain, default=default)
        inner: list[tuple[str, str | None]] = []
        if pattern.type == "object_pattern":
            inner = [(text_of(key), _default_of(key)) for key, _ in names_in(pattern)]
        typed = field(node, "type")
        if typed is not None and typed.named_children:
            told = file.properties(typed.named_children[0])
            inner += [(key, "undefined" if optional else None) for key, optional in told]
        for key, left_out in inner:
            if key not in seen:
                seen.add(key)
                yield griffe.Parameter(key, kind=named, default=left_out)


def _default_of(key: Node) -> str | None:
    """Return the default of a name in an object pattern, as it is written; "undefined" for none."""
    above = key.parent
    right = field(above, "right") if above is not None else None
    return text_of(right) or "undefined"


def _required(node: Node | None) -> str:
    """Return what `require('…')` asks for; "" for anything else."""
    if node is None or node.type != "call_expression":
        return ""
    called, listed = text_of(field(node, "function")), field(node, "arguments")
    given = listed.named_children if listed is not None else []
    if called.rpartition(".")[2] in {"__importStar", "__importDefault"} and given:
        return _required(given[0])
    return content(given[0]) if called == "require" and len(given) == 1 else ""


def _returned(node: Node) -> Node | None:
    """Return what a getter returns."""
    for each in walk(node):
        if each.type == "return_statement":
            return each.named_children[0] if each.named_children else None
        body = field(each, "body") if each.type == "arrow_function" else None
        if body is not None and body.type != "statement_block":
            return body
    return None


def _declared(node: Node) -> list[str]:
    if node.type == "ambient_declaration":
        return [name for child in node.named_children for name in _declared(child)]
    name = field(node, "name")
    if name is not None:
        return [text_of(name)]
    names = (field(each, "name") for each in node.named_children)
    return [text_of(each) for each in names if each is not None]


def _said(node: Node) -> griffe.Docstring | None:
    """Return the comment before something, and what it warns of when it is called."""
    texts = []
    at: Node | None = node
    while at is not None and at.parent is not None and at.parent.type != "program":
        if at.prev_sibling is not None and at.prev_sibling.type == "comment":
            break
        at = at.parent
    before = at.prev_sibling if at is not None else None
    if before is not None and text_of(before).startswith("/**"):
        texts.append(_LINK.sub(r"`\1`", _STAR.sub("", text_of(before))).replace("#", "."))
    body = field(node, "body")
    for each in walk(body) if body is not None else ():
        if each.type == "call_expression" and _WARNS.search(text_of(field(each, "function"))):
            texts += [content(inner) for inner in walk(each) if inner.type == "string"]
    return griffe.Docstring("\n\n".join(texts)) if texts else None


def _united(functions: Sequence[griffe.Function]) -> griffe.Function:
    """Return the overloads of a function as one that takes what any of them does."""
    taken: dict[str, griffe.Parameter] = {}
    for each in functions:
        for parameter in each.parameters:
            taken.setdefault(parameter.name, parameter)
    first = functions[0]
    whole = griffe.Function(first.name, parameters=griffe.Parameters(*taken.values()))
    whole.docstring = next((each.docstring for each in functions if each.docstring), None)
    whole.extra = first.extra
    return whole


def members_of(item: Item | None) -> dict[str, Item]:
    """Return what something has that was read; nothing of None."""
    found = item.members if item is not None else {}
    return {name: inner for name, inner in found.items() if not isinstance(inner, griffe.Alias)}


def put(owner: griffe.Module | griffe.Class, name: str, item: Item) -> None:
    """Add a member; what has no plain name, such as `[Symbol.iterator]`, is none."""
    if _PLAIN.fullmatch(name):
        owner.members[name] = item
        item.parent = owner


def _attribute(name: str, said: griffe.Docstring | None = None) -> griffe.Attribute:
    made = griffe.Attribute(name, docstring=said)
    made.extra[OF_SCRIPTS] |= {"own": name, "body": ""}
    return made


def copied(item: Item, name: str) -> Item:
    """Return the same thing under another name, in no module yet."""
    new: Item
    if isinstance(item, griffe.Function):
        new = griffe.Function(name, parameters=item.parameters, returns=item.returns)
    elif isinstance(item, griffe.Class):
        new = griffe.Class(name)
    elif isinstance(item, griffe.Module):
        new = griffe.Module(name)
    else:
        new = griffe.Attribute(name)
    new.docstring, new.labels, new.extra = item.docstring, set(item.labels), item.extra
    for key, inner in members_of(item).items():
        new.members[key] = inner
    return new
