import ts from 'typescript'

/**
 * The titles in the source of a test file: alone, and prefixed with those of the enclosing blocks.
 *
 * A title is a string argument before a function: of `it` and `describe`, and of helpers that call them. Placeholders
 * become an ellipsis.
 */
export function titlesIn(source: string): Set<string> {
  const titles = new Set<string>()
  const visit = (node: ts.Node, around: readonly string[]): void => {
    const title = titleOf(node)
    const inside = title === null ? around : [...around, title]
    if (title !== null) inside.forEach((_, n) => titles.add(inside.slice(n).join(' › ')))
    node.forEachChild((child) => visit(child, inside))
  }
  visit(ts.createSourceFile('test.ts', source, ts.ScriptTarget.ES2022), [])
  return titles
}

function titleOf(node: ts.Node): string | null {
  if (!ts.isCallExpression(node)) return null
  // `on(…)` of an emitter is not a test, and a skipped test does not count; a scenario of the conformance suite is one.
  const called = node.expression
  if (ts.isPropertyAccessExpression(called) && !['part', 'scenario'].includes(called.name.text)) return null
  const [title, body] = node.arguments
  if (!title || !body || !(ts.isArrowFunction(body) || ts.isFunctionExpression(body))) return null
  if (ts.isStringLiteralLike(title)) return title.text.replaceAll(/%[a-z]|\$\w+/g, '…')
  if (!ts.isTemplateExpression(title)) return null
  return [title.head.text, ...title.templateSpans.map(({ literal }) => literal.text)].join('…')
}
