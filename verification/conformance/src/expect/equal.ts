/** Stands for any value of some sort in what is expected. */
export class Sort {
  readonly name: string
  readonly includes: (value: unknown) => boolean

  constructor(name: string, includes: (value: unknown) => boolean) {
    this.name = name
    this.includes = includes
  }

  /** So that a failure shows it in place of the value. */
  toJSON(): string {
    return this.name
  }
}

type Compare = (actual: unknown, expected: unknown) => boolean

const isObject = (value: unknown): value is Readonly<Record<PropertyKey, unknown>> =>
  typeof value === 'object' && value !== null

/**
 * Whether the values are alike in all parts. A field that is `undefined` is as good as none, and prototypes do not count: a test
 * runner may run tests among classes of their own.
 */
export const isEqual: Compare = (actual, expected) =>
  compare(actual, expected, isEqual, (a, b) => {
    const fields = new Set([...Object.keys(a), ...Object.keys(b)])
    return [...fields].every((field) => isEqual(a[field], b[field]))
  })

/** Whether the value has at least the fields that are expected, all the way down. Lists must be of one length. */
export const hasFields: Compare = (actual, expected) =>
  compare(actual, expected, hasFields, (a, b) =>
    Object.keys(b).every((field) => field in a && hasFields(a[field], b[field])),
  )

function compare(
  actual: unknown,
  expected: unknown,
  each: Compare,
  fields: (
    actual: Readonly<Record<PropertyKey, unknown>>,
    expected: Readonly<Record<PropertyKey, unknown>>,
  ) => boolean,
): boolean {
  if (expected instanceof Sort) return expected.includes(actual)
  if (Object.is(actual, expected)) return true
  if (!isObject(actual) || !isObject(expected)) return false
  if (Array.isArray(actual) || Array.isArray(expected)) {
    if (!Array.isArray(actual) || !Array.isArray(expected) || actual.length !== expected.length) return false
    return expected.every((value, n) => each(actual[n], value))
  }
  if (actual instanceof Set && expected instanceof Set) {
    const values = [...actual]
    return (
      actual.size === expected.size &&
      [...expected].every((wanted) => values.some((value) => each(value, wanted)))
    )
  }
  if (actual instanceof Date && expected instanceof Date) return actual.getTime() === expected.getTime()
  return fields(actual, expected)
}
