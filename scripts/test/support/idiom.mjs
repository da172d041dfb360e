import ts from 'typescript'

/** Habits that a native engineer stumbles over, and what to write. Pages and what programs say are searched for them. */
const habits = [
  [/\bfail-over\b/i, 'failover'],
  [/\btime-outs?\b/i, 'timeout'],
  [/\b(nobody|whoever|somebody|anybody)\b/i, 'no other client, the process that …'],
  [
    /\b(gets?|getting|got|lets?|letting) (\w+ )?in\b(?! (order|touch|doubt|line|sync|turn))/i,
    'acquire, grant',
  ],
  [/\b(be|is|are|was) inside (it|the lock)\b/i, 'hold'],
  [/\b(learns?|hears?) (of|about)\b/i, 'detects, is notified'],
  [/\b(is|are|was|were|be|been) told\b/i, 'is notified, is reported'],
  [/\b(anew|meanwhile|for ever)\b/i, 'again, in the meantime, forever'],
  [/\brefus(e|es|ed|ing|al)\b/i, 'reject'],
  [/\banswers? with\b/i, 'returns'],
  [/\bof (its|their|your|one’s|one's) own\b/i, 'its own …, a separate …'],
]

const blank = (text) => text.replaceAll(/[^\n]/g, '_')

const withoutCode = (page) =>
  page
    .replaceAll(/^```.*?^```$/gms, blank)
    .replaceAll(/`[^`]*`/g, blank)
    .replaceAll(/\]\([^)]*\)/g, blank)

function hitsIn(text, lineOf) {
  return habits.flatMap(([habit, instead]) =>
    [...text.matchAll(new RegExp(habit, 'gi'))].map(({ 0: found, index }) => ({
      line: lineOf(index),
      found,
      instead,
    })),
  )
}

/** In Markdown, apart from code, links, and titles of tests: what is quoted, or precedes the name of the test's file in a table. */
export function habitsOfPage(page) {
  const text = withoutCode(page)
    .replaceAll(/"[^"]{0,400}"/g, blank)
    .replaceAll(/^\|.*\|$/gm, (row) => row.replace(/[^|]*(\.test\.ts|\(the same\)|_{6})[^|]*\|$/, blank))
  return hitsIn(text, (index) => text.slice(0, index).split('\n').length)
}

/** In what a program says: the strings of a TypeScript source. */
export function habitsOfSource(file, source) {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const hits = []
  const visit = (node) => {
    if (
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddle(node) ||
      ts.isTemplateTail(node)
    ) {
      const line = parsed.getLineAndCharacterOfPosition(node.getStart()).line + 1
      if (node.text.includes(' ')) hits.push(...hitsIn(node.text, () => line))
    }
    ts.forEachChild(node, visit)
  }
  visit(parsed)
  return hits
}
