import { nanoid } from 'nanoid'
import type { Address } from '../engine/requests.js'
import type { LockSteps } from '../engine/lock-steps.js'
import { InvalidArgumentError, UnavailableError } from '../errors/errors.js'
import type { Resize } from '../options/options.js'
import { notALock } from '../errors/store-errors.js'

export interface ResizeDeps {
  readonly steps: LockSteps
  readonly settings: { readonly engine: string; readonly commandTimeoutMs: number }
}

/** Calls at the same time supersede each other; so many in a row would be a fault. */
const maxAttempts = 100

/**
 * Sends a resize, naming the version of the size that it replaces: a request that arrives late finds a newer version and
 * changes nothing. Resolves with the size set.
 */
export async function sendResize(
  { steps, settings }: ResizeDeps,
  address: Address,
  { size, keepMs }: Resize,
): Promise<number> {
  if (!steps.resize)
    throw new InvalidArgumentError(
      `semaphore ${address.name} cannot be resized: the engine ${settings.engine} has no resize`,
      { lockName: address.name },
    )
  const id = nanoid()
  for (let version = 0, attempts = 0; attempts < maxAttempts; attempts++) {
    const request = { size, keepMs, version, id }
    const reply = await steps.resize(address, request, settings.commandTimeoutMs)
    if (reply.kind === 'not-a-lock') throw notALock(address, reply)
    if (reply.kind === 'resized') return size
    version = reply.version
  }
  throw new UnavailableError(
    `semaphore ${address.name} could not be resized to ${size}: ${maxAttempts} attempts were each overtaken by another resize; call resize again`,
    { lockName: address.name },
  )
}
