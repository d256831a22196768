"""Writes the tables of docs/protocol.md: methods, events, types, words and error codes."""
import re

import load

PAGE = "docs/protocol.md"
CATALOG = "Sources/Service/WaymarkProtocol/WaymarkProtocol.docc/WaymarkProtocol.md"


def cell(text):
    return text.replace("|", "\\|").rstrip(".")


def spelt(kind):
    if kind.shape == "list":
        return f"[{spelt(kind.of)}]"
    if kind.shape == "map":
        return f"{{{spelt(kind.of)}}}"
    return kind.name


def member(one):
    """A member as the schema spells it: `limit: int? 1..500`."""
    text = f"{one.name}: {spelt(one.kind)}{'?' if one.optional else ''}"
    if one.bounds:
        mark = ">" if one.bounds.excludes else ""
        text += f" {mark}{one.bounds.least}..{one.bounds.greatest}{'' if one.bounds.measure == 'value' else ' ' + one.bounds.measure}"
    return f"`{text}`"


def members(one):
    return ", ".join(member(each) for each in one.members)


def parameters(one):
    """Members with their sentences; which camera is meant stands above the table."""
    return " ".join(member(each) + ("." if each.name == "camera" else f" {lower(cell(each.said))}.") for each in one.members)


def said(one):
    return cell(" ".join([one.said, *one.notes]))


def seen(one):
    """What observers see of an event, where that is not all."""
    if one.observers == "by hand":
        return "; observers see less"
    visible = load.shown(one)
    if visible is None:
        return ""
    hidden = [f"`{each.name}`" for each in one.members if each.name not in visible and each.name != "redacted"]
    harmless = " unless it is harmless" if one.observers.endswith("unless harmless") else ""
    return f"; observers: without {', '.join(hidden)}{harmless}"


def methods(schema, wanted):
    out = ["| method | does | parameters | answer |", "|---|---|---|---|"]
    for one in schema.of("method"):
        if wanted(one.feature):
            answer = {"Empty": "", "MediaHeader": "a picture"}.get(one.result, f"`{one.result}`")
            role = "; observers too" if "observers" in one.flags else ""
            out.append(f"| `{one.wire}` | {said(one)}{role} | {parameters(one)} | {answer} |")
    return out


def events(schema):
    out = ["| event | when | carries |", "|---|---|---|"]
    return out + [f"| `{one.wire}` | {said(one)} | {members(one)}{seen(one)} |" for one in schema.of("event")]


def types(schema):
    results = {one.result for one in schema.of("method")}
    out = ["| type | is | members |", "|---|---|---|"]
    for one in sorted(schema.of("type", "event"), key=lambda each: each.name):
        if one.sort == "event" and one.name in results:
            out.append(f"| `{one.name}` | as the event `{one.wire}` | |")
        elif one.sort == "type" and one.name != "Empty":
            out.append(f"| `{one.name}` | {said(one)} | {members(one)} |")
    return out


def words(schema):
    out = ["| words | are | each |", "|---|---|---|"]
    for one in sorted(schema.of("words", "open"), key=lambda each: each.name):
        if one.name != "ServiceError.Code":
            each = "; ".join(f"`{word.wire}` {lower(cell(word.said))}" for word in one.words)
            out.append(f"| `{one.name}` | {said(one)} | {each} |")
    return out


def lower(text):
    """A sentence within another one: names and abbreviations keep their capital."""
    return text if text[1:2].isupper() or text[:1] in "`0123456789" else text[:1].lower() + text[1:]


def errors(schema):
    rows = schema.types["ServiceError.Code"].words
    return ["| code | meaning |", "|---|---|"] + [f"| `{word.wire}` | {lower(cell(word.said))} |" for word in rows]


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
        out += [f"- ``{one.name}``" for one in schema.types.values() if one.feature == feature and not one.by_hand and "." not in one.name]
        out.append("")
    return "\n".join(out)
