"""Writes the tables of docs/protocol.md: methods, events, types, words and error codes."""
import collections
import re

import load

PAGE = "docs/protocol.md"
CATALOG = "Sources/Service/WaymarkProtocol/WaymarkProtocol.docc/WaymarkProtocol.md"
# Words that say nothing beside the name of a member, a type or a word.
FILLERS = set("a an and are at by for id in is it its name of one or that the their there to was were which".split())
# Members whose types stand above the tables.
USUAL = {"by": "Actor", "context": "any", "copy": "int", "corners": "[[number]]", "height": "int", "redacted": "bool", "width": "int"}
# The most members of a result that stand in the row of its method.
INLINE = 5


def cell(text):
    return text.replace("|", "\\|").rstrip(".")


def parts(text):
    """The words of a text or of a camelCase name, in singular, without fillers."""
    found = (one.lower() for one in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W_]+", text))
    return {one.removesuffix("s") for one in found if one not in FILLERS} - {""}


def sentence(text, *names):
    """A sentence within another one; empty, or without its first clause, where that only repeats names."""
    known = set().union(*map(parts, names))
    clause, _, rest = cell(text).partition("; ")
    if parts(clause) <= known or clause.lower() in names:
        return rest
    return lower(cell(text))


def phrase(text, *names):
    """A sentence without its first article."""
    return re.sub(r"^(the|an?|its) ", "", sentence(text, *names))


def spelt(schema, kind):
    """A type; that of an event's members is the name of the event."""
    if kind.shape == "list":
        return f"[{spelt(schema, kind.of)}]"
    if kind.shape == "map":
        return f"{{{spelt(schema, kind.of)}}}"
    one = schema.types.get(kind.name)
    return one.wire if one and one.sort == "event" else kind.name


def member(schema, one, usual=None):
    """A member as the schema spells it, a string or a usual one without its type: `limit: int? 1..500`, `name?`."""
    kind = spelt(schema, one.kind)
    text = f"{one.name}{'' if kind in ('string', (usual or {}).get(one.name)) else f': {kind}'}{'?' if one.optional else ''}"
    if one.bounds:
        mark = ">" if one.bounds.excludes else ""
        text += f" {mark}{one.bounds.least}..{one.bounds.greatest}{'' if one.bounds.measure == 'value' else ' ' + one.bounds.measure}"
    return f"`{text}`"


def members(schema, one):
    """The members of an object, with a mark for those that observers do not get, or only if harmless."""
    visible = load.shown(one)
    mark = "‡" if (one.observers or "").endswith("unless harmless") else "†"
    hidden = [] if visible is None else [each.name for each in one.members if each.name not in visible and each.name != "redacted"]
    return ", ".join(member(schema, each, USUAL) + (mark if each.name in hidden else "") for each in one.members)


def parameters(schema, one):
    """Members with their sentences; a mark of the method stands for the camera."""
    out = []
    for each in one.members:
        if each.name != "camera":
            text = phrase(each.said, each.name, each.kind.inner(), one.wire)
            out.append(f" {member(schema, each, USUAL)}{' ' + text if text else ''}.")
    return "".join(out)


def said(one):
    return cell(" ".join([one.said, *one.notes]))


def inlined(schema):
    """The results that stand in the rows of their methods and in no other place."""
    uses = collections.Counter(one.result for one in schema.of("method"))
    referred = {member.kind.inner() for one in schema.objects().values() for member in one.members}
    return {
        name
        for name, count in uses.items()
        if (one := schema.types[name]).sort == "type" and name not in referred and len(one.members) <= (INLINE if count == 1 else 1)
    } - {"Empty", "MediaHeader"}


def answer(schema, one):
    result = schema.types[one.result]
    if one.result in inlined(schema):
        return members(schema, result)
    return {"Empty": "", "MediaHeader": "a picture"}.get(one.result, f"`{spelt(schema, load.Kind('name', one.result))}`")


def methods(schema, wanted):
    out = ["| method | does, with parameters | answer |", "|---|---|---|"]
    for one in schema.of("method"):
        if wanted(one.feature):
            marks = ("°" if "observers" in one.flags else "") + ("ᶜ" if one.member("camera") else "")
            taken, result = parameters(schema, one), answer(schema, one)
            out.append(f"| `{one.wire}`{marks} | {said(one)}{'.' if taken else ''}{taken} |{f' {result} |' if result else ''}")
    return out


def events(schema):
    out = ["| event | when | carries |", "|---|---|---|"]
    for one in schema.of("event"):
        less = "; observers see less" if one.observers == "by hand" else ""
        out.append(f"| `{one.wire}` | {sentence(one.said, one.wire)} | {members(schema, one)}{less} |")
    return out


def types(schema):
    out = ["| type | members |", "|---|---|"]
    rest = {"Empty", *inlined(schema)}
    for one in sorted(schema.of("type"), key=lambda each: each.name):
        if one.name not in rest:
            text = phrase(said(one), one.name)
            out.append(f"| `{one.name}` | {text + ': ' if text else ''}{members(schema, one)} |")
    return out


def words(schema):
    """The words of each list; a sentence that several lists have stands in the first row alone."""
    lists = sorted((one for one in schema.of("words", "open") if one.name != "ServiceError.Code"), key=lambda each: each.name)
    count = collections.Counter((word.wire, word.said) for one in lists for word in one.words)

    def spoken(word, once=False):
        text = "" if once and count[word.wire, word.said] > 1 else sentence(word.said, word.wire)
        return f"`{word.wire}`{' ' + text if text else ''}"

    shared = {(word.wire, word.said): word for one in lists for word in one.words if count[word.wire, word.said] > 1}
    common = [spoken(word) for _, word in sorted(shared.items()) if sentence(word.said, word.wire)]
    out = ["| list | words |", "|---|---|", f"| several | {'; '.join(common)} |"]
    for one in lists:
        notes = f". {cell(' '.join(one.notes))}" if one.notes else ""
        out.append(f"| `{one.name}` | {'; '.join(spoken(word, True) for word in one.words)}{notes} |")
    return out


def lower(text):
    """A sentence within another one: names and abbreviations keep their capital."""
    return text if text[1:2].isupper() or text[:1] in "`0123456789" else text[:1].lower() + text[1:]


def errors(schema):
    out = ["| code | meaning |", "|---|---|"]
    for word in schema.types["ServiceError.Code"].words:
        text = sentence(word.said, word.wire)
        out.append(f"| `{word.wire}` |{f' {text} |' if text else ''}")
    return out


def files(schema):
    """The page with its tables."""
    tables = {
        "methods": methods(schema, lambda feature: feature != "accounts"),
        "methods of users": methods(schema, lambda feature: feature == "accounts"),
        "events": events(schema),
        "types": types(schema),
        "words": words(schema),
        "errors": errors(schema),
    }
    with open(PAGE, encoding="utf-8") as file:
        content = file.read()
    for name, rows in tables.items():
        marks = re.compile(rf"(<!-- table {name} -->\n).*?(<!-- end table {name} -->)", re.S)
        if not marks.search(content):
            raise load.SchemaError(f"{PAGE} lacks the table {name}: add `<!-- table {name} -->` and `<!-- end table {name} -->`.")
        content = marks.sub(lambda found, rows=rows: found.group(1) + "\n".join(rows) + "\n" + found.group(2), content)
    return {PAGE: content, CATALOG: topics(schema)}


def topics(schema):
    """The catalog of the documentation in Swift, with a topic for each feature."""
    with open(CATALOG, encoding="utf-8") as file:
        text, _, listed = file.read().partition("\n## Topics\n")
    # The first topic has what is written by hand.
    out = [f"{text}\n## Topics\n\n### {listed.split('### ')[1].rstrip()}", ""]
    for feature, title in schema.features:
        out += [f"### {title.rstrip('.')}", ""]
        out += [f"- ``{one.name}``" for one in schema.types.values() if one.feature == feature and "." not in one.name]
        out.append("")
    return "\n".join(out)
