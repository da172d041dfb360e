/** What defines a test or a group of tests, and one that is skipped, as `it` and `describe` do. */
interface Define<Test> {
  (title: string, test: Test): unknown
  readonly skip: (title: string, test: Test) => unknown
}

/**
 * Defines tests that cannot run on every machine: `skippedIf(isWindows && 'it has no signals', it)('…', test)`. Where there is a
 * reason, they are skipped, and their titles say why.
 */
export function skippedIf<Test>(
  why: string | false,
  define: Define<Test>,
): (title: string, test: Test) => void {
  if (why === false) return (title, test) => void define(title, test)
  return (title, test) => void define.skip(`${title} (skipped: ${why})`, test)
}
