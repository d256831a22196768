"""What a script measured is put into the documentation by that script, between two comments:

    <!-- NAME -->
    …
    <!-- end NAME -->

so that no figure stands there that somebody typed. Scripts offer it as --write.
"""
import os
import re

DOCS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'docs')


def write(document, name, lines):
    """Puts lines into docs/`document`, in the place of those between the comments of that name."""
    path = os.path.join(DOCS, document)
    with open(path, encoding='utf8') as file:
        text = file.read()
    begin, end = f'<!-- {name} -->\n', f'<!-- end {name} -->'
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise SystemExit(f'docs/{document} has no place for "{name}": it needs a line {begin.strip()} and, after it, a line {end}.')
    text = re.sub(re.escape(begin) + '.*?' + re.escape(end), lambda _: begin + '\n'.join(lines) + '\n' + end, text, flags=re.S)
    with open(path, 'w', encoding='utf8') as file:
        file.write(text)
