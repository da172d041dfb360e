/**
 * The fenced block that stands below the comment `<!-- name -->` of a page; `null` if there is none.
 *
 * With these, what a page shows is compared with, or replaced by, what a run has produced.
 */
export function blockBelow(page: string, name: string): string | null {
  return patternOf(name).exec(page)?.groups?.['body'] ?? null
}

/** The page with that block's content replaced. */
export function withBlockBelow(page: string, name: string, body: string): string {
  return page.replace(
    patternOf(name),
    (_, head: string, __: string, tail: string) => `${head}${body}\n${tail}`,
  )
}

/** A source file without its imports and its header: what is worth showing on a page. */
export function bodyOf(source: string): string {
  return source
    .replaceAll(/^import .*\n/gm, '')
    .replace(/^\/\*\*\n(?: \*.*\n)* \*\/\n/m, '')
    .trim()
}

/** A fence stands at the beginning of a line; the code inside may have backticks. */
function patternOf(name: string): RegExp {
  return new RegExp(`(<!-- ${name} -->\\n+^\`\`\`\\w+$\\n)(?<body>.*?)\\n(^\`\`\`$)`, 'ms')
}
