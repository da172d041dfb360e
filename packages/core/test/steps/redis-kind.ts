import type { Contents } from '@holdfast/model'
import type { Way } from '@holdfast/model'
import type { ObjectType } from '../../src/engine/requests.js'
import type { Keys } from '../../src/redis/keys.js'
import type { ScriptName } from '../../src/redis/scripts/generated.js'
import type { Entries } from './waiting.js'

export type Command = [name: string, ...args: (string | number)[]]

/** What Redis may still have of owners without a hold, a queue entry and a tombstone. */
export type Leftover = 'stale entry' | 'expired tombstone'

/** What one key has, and its time to live. */
export interface KeyContents {
  readonly ttlMs: number
  /** As Redis lists it; empty when there is no such key. */
  readonly list: readonly string[]
}

/** How a kind of object is kept in Redis. */
export interface RedisKind {
  readonly object: ObjectType
  readonly scripts: readonly ScriptName[]
  readonly ways: readonly Way<Leftover>[]
  readonly entries: Entries
  keyList(keys: Keys): readonly string[]
  /** The commands that write all but those that wait and the last token. */
  restore(contents: Contents, keys: Keys, nowMs: number): readonly Command[]
  /** The same way back. `keys`: in the order of `keyList`. */
  read(
    keys: readonly KeyContents[],
    nowMs: number,
  ): Pick<Contents, 'holds' | 'ended' | 'resized' | 'problems'>
  /** Where among `keyList` the queue is, followed by those that wait and the last token. */
  readonly queueAt: number
}
