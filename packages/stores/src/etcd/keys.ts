import { randomUUID } from 'node:crypto'
import type { ObjectType } from '@holdfast/core/engine'
import type { Queue } from '../sessions/index.js'

/**
 * Which key means what. All are below one prefix, and all but those of sizes go with the session that made them.
 *
 * | Key                                         | Value                                            |
 * | ------------------------------------------- | ------------------------------------------------ |
 * | `queues/<object>/<name>/<owner>~<session>`  | an entry: what is in `entries.ts`                |
 * | `queues/<object>/<name>/~size`              | the size since a resize                          |
 * | `queues/<object>/<name>/~size-lasts`        | nothing; with a lease of its own, as long as the resize lasts |
 * | `queues/latch/<name>/~state`                | a latch: these keys are kept as long as it is    |
 * | `queues/latch/<name>/~closed`               | nothing: it is set, and not open yet             |
 * | `queues/latch/<name>/~party=<round>=<party>` | nothing: the party has counted down              |
 * | `queues/latch/<name>/~waits=<client>`       | nothing: the client waits                        |
 * | `clients/<client>`                          | how it describes itself                          |
 * | `inbox/<client>/<unique>`                   | a message to it, until it has read it            |
 * | `gone/<owner>`                              | a mark that refuses requests of the owner        |
 */
export class Keys {
  readonly #prefix: string
  readonly queues: string
  readonly clients: string

  constructor(prefix: string) {
    this.#prefix = prefix
    this.queues = `${prefix}queues/`
    this.clients = `${prefix}clients/`
  }

  queue({ object, name }: Queue): string {
    return `${this.queues}${object}/${encodeName(name)}/`
  }

  entry(queue: Queue, owner: string, session: string): string {
    return `${this.queue(queue)}${encodeName(owner)}~${session}`
  }

  /** The range of its entries: what else there is of a queue begins with `~`, which comes after all that names are made of. */
  entries(queue: Queue): { readonly from: string; readonly end: string } {
    const from = this.queue(queue)
    return { from, end: `${from}~` }
  }

  size(queue: Queue): string {
    return `${this.queue(queue)}${sizeName}`
  }

  /** Is there as long as the size is in force. */
  sizeLasts(queue: Queue): string {
    return `${this.queue(queue)}${sizeLastsName}`
  }

  latchState(name: string): string {
    return `${this.#latch(name)}~state`
  }

  latchClosed(name: string): string {
    return this.#latch(name) + closedName
  }

  latchParties(name: string, round: string): string {
    return `${this.#latch(name)}~party=${encodeName(round)}=`
  }

  latchWaits(name: string): string {
    return this.#latch(name) + waitsName
  }

  client(clientId: string): string {
    return this.clients + encodeName(clientId)
  }

  inbox(clientId: string): string {
    return `${this.#prefix}inbox/${encodeName(clientId)}/`
  }

  /** A new message to a client. */
  letter(clientId: string): string {
    return this.inbox(clientId) + randomUUID()
  }

  gone(owner: string): string {
    return `${this.#prefix}gone/${encodeName(owner)}`
  }

  #latch(name: string): string {
    return this.queue({ object: 'latch', name })
  }

  /** The client that a key of `clients` names. */
  clientOf(key: string): string {
    return decodeName(key.slice(this.clients.length))
  }

  /** The queue that a key of `queues` belongs to; `null` for a key that is not ours. */
  queueOf(key: string): Queue | null {
    const [object, name] = key.slice(this.queues.length).split('/', 2)
    if (!isObject(object) || name === undefined) return null
    return { object, name: decodeName(name) }
  }
}

const sizeName = '~size'
const closedName = '~closed'
const waitsName = '~waits='
const sizeLastsName = '~size-lasts'

/** Whether it says a size. */
export const isSizeKey = (key: string): boolean => key.endsWith(`/${sizeName}`)

/** Whether it is an entry: no owner's name begins like that. */
export const isEntryKey = (key: string): boolean => !lastOf(key).startsWith('~')

const lastOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

/** Whether it says that a latch is set, and not open yet. */
export const isLatchClosed = (key: string): boolean => lastOf(key) === closedName

/** Whether it says that a client waits for a latch. */
export const isLatchWait = (key: string): boolean => lastOf(key).startsWith(waitsName)

/** The name at the end of a key of a latch. */
export const latchNameOf = (key: string): string => decodeName(key.slice(key.lastIndexOf('=') + 1))

/** The owner and the session of an entry's key. */
export function ownerOf(key: string): { readonly owner: string; readonly session: string } {
  const [owner = '', session = ''] = key.slice(key.lastIndexOf('/') + 1).split('~', 2)
  return { owner: decodeName(owner), session }
}

const objects: readonly string[] = ['lock', 'read-write-lock', 'semaphore', 'latch'] satisfies ObjectType[]
const isObject = (text: string | undefined): text is ObjectType =>
  text !== undefined && objects.includes(text)

/** Without `/` and `~`, which separate. Half a surrogate pair, which UTF-8 has no bytes for, becomes `%uD800`. */
export const encodeName = (name: string): string =>
  name
    .split(loneSurrogate)
    .map((part) =>
      loneSurrogate.test(part)
        ? `%u${part.charCodeAt(0).toString(16).toUpperCase()}`
        : encodeURIComponent(part).replaceAll('~', '%7E'),
    )
    .join('')

const loneSurrogate = /(\p{Surrogate})/u

export const decodeName = (text: string): string =>
  text
    .split(/(%u[0-9A-F]{4})/)
    .map((part) =>
      part.startsWith('%u') ? String.fromCharCode(parseInt(part.slice(2), 16)) : decodeURIComponent(part),
    )
    .join('')
