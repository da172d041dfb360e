/** One line of a peer's output, or a part of it. The functions below read its fields. */
export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function numberIn(fields: Fields, name: string): number {
  const value = fields[name]
  if (typeof value === 'number') return value
  throw unexpected(fields, name, 'a number')
}

export function booleanIn(fields: Fields, name: string): boolean {
  const value = fields[name]
  if (typeof value === 'boolean') return value
  throw unexpected(fields, name, 'a boolean')
}

export function stringIn(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value === 'string') return value
  throw unexpected(fields, name, 'a string')
}

export function listIn(fields: Fields, name: string): Fields[] {
  const value = fields[name]
  if (Array.isArray(value) && value.every(isFields)) return value
  throw unexpected(fields, name, 'a list of objects')
}

function unexpected(fields: Fields, name: string, wanted: string): Error {
  return new Error(`expected ${wanted} as ${name} in ${JSON.stringify(fields).slice(0, 500)}`)
}
