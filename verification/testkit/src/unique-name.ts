import { randomBytes } from 'node:crypto'

/** A name that no other test, process or run uses, so that tests may share one server. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomBytes(6).toString('hex')}`
}
