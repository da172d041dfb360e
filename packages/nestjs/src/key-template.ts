import { inspect } from 'node:util'
import { InvalidArgumentError, lockName } from '@holdfast/core'

/** Makes the name of a lock of the arguments of a call. */
export type KeyFunction = (...args: unknown[]) => unknown

/** `{0}`, `{0.id}`, `{1.owner.id}` */
const placeholders = /\{(\d+)((?:\.[\w$]+)*)\}/g
/** What remains once each placeholder is a NUL: no brace, or one hash tag with a placeholder in it. */
const remainder = /^[^{}]*(\{[^{}]*\0[^{}]*\}[^{}]*)?$/

/**
 * The function that a template stands for.
 *
 * @throws `InvalidArgumentError` for braces that are neither a placeholder nor one hash tag around one; the function throws it for
 * a value that is no part of a name
 */
export function templated(template: string): KeyFunction {
  const rest = template.replaceAll('\0', '{').replace(placeholders, '\0')
  if (template === '' || !remainder.test(rest)) {
    throw new InvalidArgumentError(
      `the key of @WithLock must be a lock name with placeholders such as {0} or {0.id}, got ${inspect(template)}; ` +
        '{0} is the first argument, {0.id} a field of it, and {{0.tenant}} a hash tag. For anything else pass a function',
    )
  }
  return (...args) =>
    template.replace(placeholders, (placeholder, index: string, path: string) => {
      const value = fieldOf(args[Number(index)], path.split('.').slice(1))
      if (isPart(value)) return lockName(String(value))
      throw new InvalidArgumentError(
        `${placeholder} in the lock name ${inspect(template)} must be a string that is not empty, a finite number, a bigint or a boolean, ` +
          `got ${kindOf(value)}; pass a function to @WithLock for names of anything else`,
      )
    })
}

const fieldOf = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (found, field) => (found === undefined || found === null ? undefined : Reflect.get(Object(found), field)),
    value,
  )

/** Whether different values of it are different texts, which nobody passes by mistake. */
const isPart = (value: unknown): value is string | number | bigint | boolean =>
  typeof value === 'string'
    ? value !== ''
    : typeof value === 'number'
      ? Number.isFinite(value)
      : typeof value === 'bigint' || typeof value === 'boolean'

/** Without the value of an object, which may be a whole request. */
const kindOf = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? 'an object'
    : typeof value === 'function'
      ? 'a function'
      : inspect(value)
