import { findPostgres } from './find-postgres.js'

/**
 * Whether tests may start servers of their own. Not where PG_URL names a server, which others may use, and there are no
 * programs to start another.
 */
export const mayStartPostgres = (programs = findPostgres()): boolean =>
  !process.env['PG_URL'] || programs !== null

const reason =
  'skipped: these tests crash a server or change its settings and roles; PG_URL names one that others may use, and there are ' +
  'no programs to start another'

/** A function that defines a test, and one that defines it as skipped, as Jest has them. */
type Define = (title: string, run: () => void) => void

/**
 * For tests that start servers of their own: `const it = onOwnPostgres(globalThis.it)`. Where they cannot, they are skipped, and
 * the reason is the title of one more.
 */
export function onOwnPostgres<It extends Define>(
  it: It & { readonly skip: It },
  mayStart = mayStartPostgres(),
): It {
  if (mayStart) return it
  it.skip(reason, () => undefined)
  return it.skip
}
