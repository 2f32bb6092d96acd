#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mutate.py COMMAND...: read selftests/mutants/*.mut, and apply what they describe to a tree.

  check TREE               print what does not match the code exactly once, tests that do not exist, and
                           what comments and the manual cite as a mutant and is none
  list TREE [NAME...]      print NAME FILE KERNEL TESTS SEEDS BREAKS, separated by tabs
  apply TREE NAME OUT      write the one file that the mutant changes below OUT
  combine TREE OUT CMD...  read names from stdin; write OUT/1, OUT/2, ... with the changed files of a
                           tree in which each of them can be chosen, and OUT/N/names with a line
                           NUMBER NAME for each. CMD DIR FILE... compiles these of OUT/N. What cannot be chosen so
                           is in OUT/alone.
  choose NUMBER FILE       choose a mutant in a built module, or in an initramfs with modules

A .mut file is about the source file that its first line names. Each block describes a mutant:

  NAME
  breaks: what goes wrong; may go on in the next lines, indented
  tests: KERNEL TEST...    that notice, and/or
  simulate: SEEDS          within which the simulation notices
  in: FUNCTION             or "-" for what is in no function
  - old code
  + new code, or none

The old code is compared by C tokens and has to be in the function exactly once. A "-" line after a
"+" line, or another "in:", begins a further change of the same mutant.
"""

import os
import re
import shutil
import struct
import subprocess
import sys
from bisect import bisect_right
from collections import namedtuple

TOKEN = re.compile(r'''
    (?P<skip>\s+|\\\n|//[^\n]*|/\*.*?\*/)
  | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*'
  | [A-Za-z_]\w* | \.?\d[\w.]*
  | \.\.\. | <<= | >>= | -> | \+\+ | -- | << | >> | && | \|\|
  | [-+*/%&|^<>=!]= | \#\# | .
''', re.S | re.X)
ASSIGN = {'=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>='}
OPEN = {'(': ')', '[': ']', '{': '}'}
NAME = r'[a-z0-9]+(?:-[a-z0-9]+)+'
CITED = re.compile(rf"\b[Mm]uta(?:nt|tion)s?:? +({NAME}(?:(?:, +| +and +){NAME})*)"
                   rf"|\bmake mutants +NAMES=\"({NAME}(?: +{NAME})*)\"")
LOOPS = re.compile(r'if|while|for|switch|\w*for_each\w*|scoped_guard')

Token = namedtuple('Token', 'text start end directive')


def tokenize(text):
    """The tokens of C code; those of a preprocessor directive are marked."""
    tokens, directive, fresh = [], False, True
    for m in TOKEN.finditer(text):
        if m['skip'] is not None:
            if '\n' in m[0] and not m[0].startswith(('/*', '\\')):
                directive, fresh = False, True
            continue
        if m[0] == '#' and fresh:
            directive = True
        fresh = False
        tokens.append(Token(m[0], m.start(), m.end(), directive))
    return tokens


def texts(tokens):
    return [t.text for t in tokens]


def is_balanced(words):
    stack = []
    for word in words:
        if word in OPEN:
            stack.append(OPEN[word])
        elif word in OPEN.values() and (not stack or stack.pop() != word):
            return False
    return not stack


class Source:
    """A C file, its tokens, and where its functions are."""

    def __init__(self, path):
        with open(path, encoding='utf-8') as f:
            self.text = f.read()
        self.tokens = tokenize(self.text)
        self.words = texts(self.tokens)
        self.functions = {}
        self._find_functions()

    def close(self, i):
        """The index of the bracket that closes the one at i."""
        depth = 0
        for j in range(i, len(self.tokens)):
            if self.tokens[j].directive:
                continue
            depth += self.words[j] in OPEN
            depth -= self.words[j] in OPEN.values()
            if not depth:
                return j
        return len(self.tokens) - 1

    def _find_functions(self):
        begin = i = 0
        name = None
        while i < len(self.tokens):
            word = self.words[i]
            if self.tokens[i].directive:
                begin, name = i + 1, None
            elif word == '(':
                if i and self.words[i - 1].isidentifier() and \
                        not (name and self.words[i - 1].startswith('__')):
                    name = self.words[i - 1]
                i = self.close(i)
            elif word == '{':
                end = self.close(i)
                if name and self.words[i - 1] not in ASSIGN:
                    self.functions.setdefault(name, []).append((begin, i, end + 1))
                    begin, name = end + 1, None
                i = end
            elif word == ';':
                begin, name = i + 1, None
            i += 1

    def function_at(self, i):
        """The name of the function that token i is in, or "-"."""
        for name, places in self.functions.items():
            if any(begin <= i < end for begin, _, end in places):
                return name
        return '-'

    def find(self, function, words):
        """Where the words are in the function: the indexes of their first tokens."""
        spans = [(0, len(self.tokens))]
        if function != '-':
            spans = [(b, e) for b, _, e in self.functions.get(function, [])]
        n = len(words)
        return [i for b, e in spans for i in range(b, e - n + 1) if self.words[i:i + n] == words]

    def body_of(self, i):
        for places in self.functions.values():
            for begin, body, end in places:
                if begin <= i < end:
                    return body, end
        return None

    # Statements: a list of (begin, end, [lists of statements inside])

    def statement(self, i):
        word = self.words[i]
        if word == '{':
            end = self.close(i)
            return i, end + 1, [self.statements(i + 1, end)]
        if word in ('else', 'do'):
            inner = self.statement(i + 1)
            end = inner[1]
            if word == 'do':
                end = self.words.index(';', end) + 1
            return i, end, [[inner]]
        if LOOPS.fullmatch(word) and self.words[i + 1] == '(':
            end = self.close(i + 1) + 1
            if self.words[end] == ';':
                return i, end + 1, []
            inner = self.statement(end)
            lists, end = [[inner]], inner[1]
            if word == 'if' and self.words[end] == 'else':
                inner = self.statement(end + 1)
                lists.append([inner])
                end = inner[1]
            return i, end, lists
        end = i
        while self.words[end] != ';':
            if self.words[end] == ':' and (self.words[i] in ('case', 'default') or end == i + 1):
                break
            end = self.close(end) if self.words[end] in OPEN else end
            end += 1
        return i, end + 1, []

    def statements(self, i, end):
        result = []
        while i < end:
            result.append(self.statement(i))
            i = result[-1][1]
        return result

    def covering(self, a, b):
        """The fewest whole statements around tokens a to b, as (begin, end, are they simple)."""
        body = self.body_of(a)
        if not body or a <= body[0] or any(t.directive for t in self.tokens[body[0]:body[1]]):
            return None
        run = self.statements(body[0] + 1, body[1] - 1)
        while True:
            if a == b:
                hit = [s for s in run if s[0] < b < s[1]] or [s for s in run if s[0] == b] or run[-1:]
            else:
                hit = [s for s in run if s[0] < b and a < s[1]]
            if not hit:
                return None
            inside = [r for r in hit[0][2] if r and r[0][0] <= a and b <= r[-1][1] and
                      self.words[r[0][0]] != '{'] if len(hit) == 1 else []
            inside += [r[0][2][0] for r in (hit[0][2] if len(hit) == 1 else []) if r and
                       self.words[r[0][0]] == '{' and r[0][0] < a and b < r[0][1] and r[0][2][0]]
            if not inside:
                return hit[0][0], hit[-1][1], not any(s[2] for s in hit)
            run = inside[0]

    def expression(self, a, b):
        """The whole expression around tokens a to b, as (begin, end), or None."""
        depth = 0
        while a and not self.tokens[a - 1].directive:
            word = self.words[a - 1]
            if word in OPEN.values():
                if word == '}':
                    break
                depth += 1
            elif word in OPEN:
                if not depth:
                    break
                depth -= 1
            elif not depth and (word in ASSIGN or word in (',', ';', 'return', 'else', 'do')):
                break
            a -= 1
        while b < len(self.words):
            word = self.words[b]
            if word in OPEN.values() or word in (',', ';', '{'):
                break
            b = self.close(b) + 1 if word in OPEN else b + 1
        return (a, b) if a < b else None


class Change:
    """Old code in a function, and what it becomes."""

    def __init__(self, line, function):
        self.line, self.function = line, function
        self.old, self.new = [], []

    def find(self, source):
        return source.find(self.function, texts(tokenize('\n'.join(self.old))))

    def place(self, source):
        """(first token, end token) of the old code."""
        words = texts(tokenize('\n'.join(self.old)))
        i = source.find(self.function, words)[0]
        return i, i + len(words)


class Mutant:
    def __init__(self, name, where, file):
        self.name, self.where, self.file = name, where, file
        self.breaks, self.kernel, self.tests, self.seeds, self.changes = '', '', '', '', []


def fail(message):
    sys.exit(f'mutate: {message}')


def parse(path, mutants):
    """Read a .mut file."""
    file = mutant = function = change = key = None
    with open(path, encoding='utf-8') as f:
        lines = f.read().splitlines()
    for number, line in enumerate(lines, 1):
        where = f'{path}:{number}'
        if line.startswith('#'):
            continue
        if not line:
            mutant = change = None
        elif line.startswith('file: '):
            file = line[6:]
        elif not mutant:
            if not re.fullmatch(r'[a-z0-9-]+', line) or line in mutants or not file:
                fail(f'{where}: not a new name: {line}')
            mutant = mutants[line] = Mutant(line, where, file)
        elif line[0] == '-' and line[1:2] in ('', ' '):
            if not change or change.new:
                change = Change(number, function)
                mutant.changes.append(change)
            change.old.append(line[2:])
        elif line[0] == '+' and line[1:2] in ('', ' ') and change:
            change.new.append(line[2:])
        elif line.startswith('  ') and key == 'breaks':
            mutant.breaks += ' ' + line.strip()
        else:
            key, colon, value = line.partition(': ')
            if key == 'breaks':
                mutant.breaks = value
            elif key == 'tests':
                mutant.kernel, _, mutant.tests = value.partition(' ')
            elif key == 'simulate':
                mutant.seeds = value
            elif key == 'in':
                function, change = value, None
            else:
                fail(f'{where}: what is this? {line}')


def read_mutants(tree):
    mutants, folder = {}, os.path.join(tree, 'selftests/mutants')
    for name in sorted(os.listdir(folder)):
        if name.endswith('.mut'):
            parse(os.path.join(folder, name), mutants)
    return mutants


class Sources(dict):
    def __init__(self, tree):
        super().__init__()
        self.tree = tree

    def __missing__(self, file):
        self[file] = Source(os.path.join(self.tree, file))
        return self[file]


def citations(path):
    """The mutants that a file cites, as (line, name). A list of names can go on in the next line."""
    with open(path, encoding='utf-8') as f:
        text = f.read()
    flat = re.sub(r'\n[ \t]*[*#]?|``', lambda m: ' ' * len(m[0]), text)
    for cited in CITED.finditer(flat):
        for name in re.finditer(NAME, cited[0]):
            yield text.count('\n', 0, cited.start() + name.start()) + 1, name[0]


def check_citations(tree, mutants):
    for folder in ('selftests', 'Documentation'):
        for path, _, names in os.walk(os.path.join(tree, folder)):
            for name in sorted(names):
                file = os.path.join(path, name)
                if not name.endswith(('.c', '.h', '.sh', '.litmus', '.rst')):
                    continue
                for line, cited in citations(file):
                    if cited not in mutants:
                        print(f'{file}:{line}: there is no mutant {cited}')


def is_test(tree, name):
    return any(os.path.exists(os.path.join(tree, 'selftests', folder, name + suffix))
               for folder in ('', 'ported') for suffix in ('.c', '.sh'))


def check(tree):
    sources, mutants = Sources(tree), read_mutants(tree)
    check_citations(tree, mutants)
    for mutant in mutants.values():
        path = mutant.where.rpartition(':')[0]
        if not mutant.breaks or not (mutant.tests or mutant.seeds) or not mutant.changes:
            print(f'{mutant.where}: {mutant.name} lacks breaks, tests or a change')
        for test in mutant.tests.split():
            if not is_test(tree, test):
                print(f'{mutant.where}: {mutant.name}: there is no test {test}')
        if not os.path.exists(os.path.join(tree, mutant.file)):
            print(f'{mutant.where}: there is no {mutant.file}')
            continue
        for change in mutant.changes:
            n = len(change.find(sources[mutant.file]))
            if n != 1:
                print(f'{path}:{change.line}: {mutant.name} matches {n} times'
                      f' in {change.function} of {mutant.file}')
            elif texts(tokenize('\n'.join(change.old))) == texts(tokenize('\n'.join(change.new))):
                print(f'{path}:{change.line}: {mutant.name} changes nothing')


def list_mutants(tree, names):
    mutants = read_mutants(tree)
    for name in names or mutants:
        if name not in mutants:
            fail(f'no mutant named {name}')
        m = mutants[name]
        print(m.name, m.file, m.kernel or '-', m.tests or '-', m.seeds or '-', m.breaks, sep='\t')


def span_of(source, first, end):
    return source.tokens[first].start, source.tokens[end - 1].end


def apply(tree, name, out):
    mutant = read_mutants(tree)[name]
    source = Source(os.path.join(tree, mutant.file))
    edits = []
    for change in mutant.changes:
        first, end = change.place(source)
        edits.append((*span_of(source, first, end), new_text(source, change, first, end)))
    write(out, mutant.file, replace(source.text, edits))


def new_text(source, change, first, end):
    """The new code with the indentation of the old; a statement that goes leaves its place filled."""
    start = source.tokens[first].start
    line = source.text.rfind('\n', 0, start) + 1
    indent = re.match(r'[ \t]*', source.text[line:])[0]
    if change.new:
        return '\n'.join(change.new[:1] + [x and indent + x for x in change.new[1:]])
    return ';' if source.words[first - 1] in (')', 'else', 'do') and source.words[end - 1] == ';' else ''


def replace(text, edits):
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def write(out, file, text):
    path = os.path.join(out, file)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)


# Many mutants in one tree. A variable says which of them is chosen; its value is found in what was
# built by the marks before it.

MARKS = (0x6d757461, 0x6e743a6b, 0x706f6f6c)
CHOSEN = f'kpool_mutant[{len(MARKS)}]'
DECLARATION = '''extern const volatile int kpool_mutant[];
#pragma GCC diagnostic ignored "-Wmisleading-indentation"
#pragma GCC diagnostic ignored "-Wdangling-else"
#pragma GCC diagnostic ignored "-Wunused-value"
#line 1
'''
DEFINITION = f'''
const volatile int kpool_mutant[] = {{ {", ".join(map(hex, MARKS))}, 0 }};
'''


def trimmed(source, change):
    """What really differs: (first old token, end of them, new tokens), brackets balanced."""
    first, end = change.place(source)
    new = texts(tokenize('\n'.join(change.new)))
    words = source.words
    a = 0
    while a < min(len(new), end - first) and words[first + a] == new[a]:
        a += 1
    b = 0
    while b < min(len(new), end - first) - a and words[end - 1 - b] == new[len(new) - 1 - b]:
        b += 1
    # whole brackets, at the least
    while b and not (is_balanced(words[first + a:end - b]) and is_balanced(new[a:len(new) - b])):
        b -= 1
    while a and not (is_balanced(words[first + a:end - b]) and is_balanced(new[a:len(new) - b])):
        a -= 1
    return first + a, end - b, new[a:len(new) - b]


def forms(source, change, number):
    """Ways to write the change so that it can be chosen, the most likely one first."""
    a, b, new = trimmed(source, change)
    if any(t.directive for t in source.tokens[a:b]) or '#' in new:
        return []
    words = source.words
    ways = []
    covered = source.covering(a, b)
    if covered:
        s, e, simple = covered
        if not {'case', 'default'} & set(words[s:e]) or not simple:
            ways.append((s, e, lambda old, s=s, e=e:
                         f'if ({CHOSEN} == {number}) {{ {" ".join(words[s:a] + new + words[b:e])} }}'
                         f' else {{ {old} }}'))
    spread = source.expression(a, b)
    if spread:
        x, y = spread
        changed = words[x:a] + new + words[b:y]
        if changed:
            ways.append((x, y, lambda old, changed=changed:
                         f'({CHOSEN} == {number} ? ({" ".join(changed)}) : ({old}))'))
    if covered and not covered[2]:
        ways.reverse()
    return ways


class Candidate:
    """A mutant on its way into a tree with others."""

    def __init__(self, mutant, number, source):
        self.mutant, self.number = mutant, number
        self.ways = [forms(source, change, number) for change in mutant.changes]
        self.form = 0

    def edits(self, source):
        """[(start, end, text)], or None if no form is left."""
        result = []
        if self.form > 1:
            return None
        for ways in self.ways:
            if not ways:
                return None
            s, e, make = ways[min(self.form, len(ways) - 1)]
            start, end = span_of(source, s, e)
            result.append((start, end, make(source.text[start:end])))
        return result


def overlaps(edits, others):
    return any(s < e2 and s2 < e for s, e, _ in edits for s2, e2, _ in others)


def generate(batch, sources, out):
    """Write the files of a batch. Returns {file: [(first line, last line, candidate)]} and what did
    not fit, and what has no form left."""
    taken, left, alone, regions = {}, [], [], {}
    shutil.rmtree(out, ignore_errors=True)
    for candidate in batch:
        file = candidate.mutant.file
        edits = candidate.edits(sources[file])
        if edits is None or any(overlaps(edits[:i], edits[i:i + 1]) for i in range(1, len(edits))):
            alone.append(candidate)
        elif overlaps(edits, [e for e, _ in taken.setdefault(file, [])]):
            left.append(candidate)
        else:
            taken[file] += [(e, candidate) for e in edits]
    for file in set(taken) | {'kpool.c'}:
        text, at, pieces, line = sources[file].text, 0, [], 1
        regions[file] = []
        for (start, end, new), candidate in sorted(taken.get(file, []), key=lambda x: x[0][0]):
            line += text.count('\n', at, start)
            regions[file].append((line, line + new.count('\n'), candidate))
            line += new.count('\n')
            pieces += [text[at:start], new]
            at = end
        definition = DEFINITION if file == 'kpool.c' else ''
        write(out, file, DECLARATION + ''.join(pieces) + text[at:] + definition)
    return regions, left, alone


def offenders(log, regions):
    """The candidates at which the compiler complains, or else those of the file."""
    found, files = set(), set()
    for m in re.finditer(r'([\w./-]+\.[ch]):(\d+):\d+: (?:error|warning|note)', log):
        file = next((f for f in regions if m[1].endswith('/' + f) or m[1] == f), None)
        if file and m[0].endswith(('error', 'warning')):
            files.add(file)
        found |= {c for first, last, c in regions.get(file, []) if first <= int(m[2]) <= last}
    return found or {c for f in files for _, _, c in regions[f]}


def combine(tree, out, command, names):
    mutants, sources = read_mutants(tree), Sources(tree)
    batch = [Candidate(mutants[name], number, sources[mutants[name].file])
             for number, name in enumerate(names, 1)]
    alone, nr = [], 0
    while batch:
        nr += 1
        folder, files = os.path.join(out, str(nr)), None
        while True:
            regions, left, formless = generate(batch, sources, folder)
            alone += formless
            batch = [c for c in batch if c not in formless]
            built = subprocess.run(command + [folder] + sorted(files or regions), text=True, check=False,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if not built.returncode:
                break
            wrong = offenders(built.stdout, regions)
            if not wrong:
                fail(f'cannot compile {folder}:\n{built.stdout[-3000:]}')
            for candidate in wrong:
                candidate.form += 1
            files = {c.mutant.file for c in wrong}
        write(folder, 'names', ''.join(f'{c.number} {c.mutant.name}\n' for c in batch if c not in left))
        batch = left
    write(out, 'alone', ''.join(f'{c.mutant.name}\n' for c in alone))


def choose(number, path):
    with open(path, 'rb') as f:
        data = f.read()
    marks = struct.pack('<3I', *MARKS)
    if marks not in data:
        fail(f'nothing to choose in {path}')
    with open(path, 'r+b') as f:
        for m in re.finditer(re.escape(marks), data):
            f.seek(m.end())
            f.write(struct.pack('<i', number))


def main(command, *args):
    if command == 'check':
        check(*args)
    elif command == 'list':
        list_mutants(args[0], args[1:])
    elif command == 'apply':
        apply(*args)
    elif command == 'combine':
        combine(args[0], args[1], list(args[2:]), sys.stdin.read().split())
    elif command == 'choose':
        choose(int(args[0]), args[1])
    else:
        sys.exit(__doc__)


if __name__ == '__main__':
    main(*sys.argv[1:])
