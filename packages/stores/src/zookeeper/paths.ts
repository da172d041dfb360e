import type { Entry, Queue } from '../sessions/index.js'
import type { ObjectType } from '@holdfast/core/engine'

/**
 * Where everything is.
 *
 * | Path                                                     | Is                                                                |
 * | -------------------------------------------------------- | ----------------------------------------------------------------- |
 * | `holdfast/locks/<shard>/<type>=<name>`                   | a queue: a container                                              |
 * | `…/<owner>~<session>~<permits>~<size>~<sequence>`        | an entry: ephemeral                                               |
 * | `…/<entry>=<permits>`                                    | that this entry has given back permits, and so many are left      |
 * | `…/=<random>~<sequence>`                                 | the size that is in force, since a resize                         |
 * | `…/c=<name>/state`                                       | a latch                                                           |
 * | `…/c=<name>/closed`                                      | that it is set, and not open yet                                  |
 * | `…/c=<name>/p=<round>/<party>`                           | that the party has counted down                                   |
 * | `…/c=<name>/w=<client>`                                  | that the client waits: ephemeral                                  |
 * | `holdfast/clients/<id>`                                  | a client: ephemeral                                               |
 * | `holdfast/mail/<id>`                                     | what other clients tell it: ephemeral                             |
 *
 * All that a listing needs is in names, as ZooKeeper lists names alone.
 */
export class Paths {
  readonly base: string
  readonly locks: string
  readonly clients: string
  readonly mailboxes: string

  /** @param root - '' or a path that exists */
  constructor(root: string) {
    this.base = `${root}/holdfast`
    this.locks = `${this.base}/locks`
    this.clients = `${this.base}/clients`
    this.mailboxes = `${this.base}/mail`
  }

  shardOf({ name }: Queue): string {
    return `${this.locks}/${shardOf(name)}`
  }

  queue(queue: Queue): string {
    return `${this.shardOf(queue)}/${typeLetters[queue.object]}=${encode(queue.name)}`
  }

  latch(name: string): LatchPaths {
    const directory = this.queue({ name, object: 'latch' })
    return {
      directory,
      state: `${directory}/state`,
      closed: `${directory}/${closedName}`,
      parties: (round) => `${directory}/p=${encode(round)}`,
      party: (round, party) => `${directory}/p=${encode(round)}/${encode(party)}`,
      waiter: (clientId) => `${directory}/${waiterPrefix}${encode(clientId)}`,
    }
  }

  client(clientId: string): string {
    return `${this.clients}/${encode(clientId)}`
  }

  mailbox(clientId: string): string {
    return `${this.mailboxes}/${encode(clientId)}`
  }
}

/** Where the parts of a latch are. */
export interface LatchPaths {
  readonly directory: string
  readonly state: string
  readonly closed: string
  readonly parties: (round: string) => string
  readonly party: (round: string, party: string) => string
  readonly waiter: (clientId: string) => string
}

const closedName = 'closed'
const waiterPrefix = 'w='

/** The clients that wait for a latch, by the children of its directory. */
export const waitersIn = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) =>
    name.startsWith(waiterPrefix) ? [decode(name.slice(waiterPrefix.length)) ?? name] : [],
  )

/** Whether a latch is set, and not open yet, by the same. */
export const isClosed = (names: readonly string[]): boolean => names.includes(closedName)

const typeLetters: Readonly<Record<ObjectType, string>> = {
  lock: 'l',
  'read-write-lock': 'w',
  semaphore: 's',
  latch: 'c',
}

/** The queue of a node of a shard; `null`: it is none. */
export function queueOf(node: string): Queue | null {
  const object = isType(node.charAt(0)) ? objects[node.charAt(0)] : undefined
  const name = decode(node.slice(2))
  return object === undefined || node.charAt(1) !== '=' || name === null ? null : { name, object }
}

const objects: Readonly<Record<string, ObjectType>> = {
  l: 'lock',
  w: 'read-write-lock',
  s: 'semaphore',
  c: 'latch',
}
const isType = (letter: string): boolean => Object.hasOwn(objects, letter)

/** A server replies with all children of a node at once, so there are many nodes. */
function shardOf(name: string): string {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash & 0xff).toString(16).padStart(2, '0')
}

/** What an entry's node is called but for its sequence number, which the server adds. */
export const entryPrefix = (
  owner: string,
  session: string,
  { permits, size }: Pick<Entry, 'permits' | 'size'>,
): string => `${encode(owner)}~${session}~${permits.toString(36)}~${size.toString(36)}~`

/** The same before the permits. */
export const ownPrefix = (owner: string, session: string): string => `${encode(owner)}~${session}~`

/** The node that says that an entry has given back permits, if one does. */
export function shrunkPath({ key, permits }: Entry): string | undefined {
  const [, , wanted = ''] = key.slice(key.lastIndexOf('/') + 1).split('~')
  return parseInt(wanted, 36) === permits ? undefined : `${key}=${permits.toString(36)}`
}

const encode = (text: string): string => encodeURIComponent(text).replaceAll('~', '%7E')

export function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
