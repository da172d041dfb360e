import { createHash } from 'node:crypto'
import { nanoid } from 'nanoid'
import { heirOf, type Address } from '../engine/requests.js'
import { InvalidArgumentError } from '../errors/errors.js'

/** What entitles its bearer to take over a lock, and who holds the lock until then. */
export interface Ticket {
  readonly text: string
  /** Says nothing of the text but to who has it. */
  readonly heir: string
}

const form = /^holdfast-ticket\.([\w-]+)\.([\w-]+:\d+)\.([\w-]{22})$/

/** For one lock, and one hand-over of it. @param owner - who hands it over */
export function newTicket(engine: string, address: Address, owner: string): Ticket {
  // 132 bits.
  const secret = nanoid(22)
  const text = `holdfast-ticket.${placeOf(engine, address)}.${owner}.${secret}`
  return { text, heir: heirOf(owner, digestOf(secret)) }
}

/**
 * Who holds the lock for this ticket. The ticket is not repeated in errors.
 *
 * @throws `InvalidArgumentError` unless the ticket is for this lock
 */
export function heirBy(ticket: unknown, engine: string, address: Address): string {
  const { name: lockName } = address
  const [, place, owner = '', secret = ''] = form.exec(typeof ticket === 'string' ? ticket : '') ?? []
  if (place !== placeOf(engine, address)) {
    throw new InvalidArgumentError(
      `this ticket is not for lock ${lockName}: pass the one that handOver() gave for the same name, prefix and engine`,
      { lockName },
    )
  }
  return heirOf(owner, digestOf(secret))
}

/** Tells locks apart, and engines. A store has too many addresses to be told apart by them: elsewhere a ticket finds no lock. */
const placeOf = (engine: string, { id }: Address): string => digestOf(`${engine} ${id}`).slice(0, 8)

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)
