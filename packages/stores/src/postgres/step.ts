import type { Row } from './connection/statement.js'

/** A statement. */
export interface Call {
  readonly text: string
  readonly values: readonly unknown[]
}

/** A call of a function, and what its rows mean. */
export interface Step<T> extends Call {
  read(rows: readonly Row[]): T
}

/** A call of a function. @param schema - quoted */
export function callOf(schema: string, name: string, values: readonly unknown[]): Call {
  const places = values.map((_, i) => `$${i + 1}`)
  return { text: `select * from ${schema}.${name}(${places.join(', ')})`, values }
}
