import { InvalidArgumentError } from '@holdfast/core'
import { shown } from '@holdfast/core/engine'

const wanted = { boolean: 'true or false', function: 'a function', string: 'a string' } as const

/** Refuses an option of another type; one that is left out is fine. */
export function checkType(option: string, value: unknown, type: keyof typeof wanted): void {
  if (value === undefined || typeof value === type) return
  throw new InvalidArgumentError(`${option} must be ${wanted[type]}, got ${shown(value)}`)
}
