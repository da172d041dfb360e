/**
 * The fenced block below the comment `<!-- name -->` of a Markdown text; `null` if there is none.
 *
 * Tests use it to compare the documentation with what a run produced, or to update it.
 */
export function blockBelow(markdown: string, name: string): string | null {
  return patternOf(name).exec(markdown)?.groups?.['body'] ?? null
}

/** The text with that block's content replaced. */
export function withBlockBelow(markdown: string, name: string, body: string): string {
  return markdown.replace(
    patternOf(name),
    (_, head: string, __: string, tail: string) => `${head}${body}\n${tail}`,
  )
}

/** A source file without its imports and its header comment, as the documentation shows it. */
export function bodyOf(source: string): string {
  return source
    .replaceAll(/^import .*\n/gm, '')
    .replace(/^\/\*\*\n(?: \*.*\n)* \*\/\n/m, '')
    .trim()
}

/** A fence starts a line; the code inside may contain backticks. */
function patternOf(name: string): RegExp {
  return new RegExp(`(<!-- ${name} -->\\n+^\`\`\`\\w+$\\n)(?<body>.*?)\\n(^\`\`\`$)`, 'ms')
}
