import type { Command, CommandContext } from './command.js'
import { integer } from './numbers.js'
import { ok, type Reply } from './reply.js'

const hashAt = ({ database }: CommandContext, key: string) => database.read(key, 'hash')?.fields
const listAt = ({ database }: CommandContext, key: string) => database.read(key, 'list')?.items ?? []

const hashToWrite = ({ database }: CommandContext, key: string) =>
  database.write(key, 'hash', () => ({ type: 'hash', fields: new Map() })).fields
const listToWrite = ({ database }: CommandContext, key: string) =>
  database.write(key, 'list', () => ({ type: 'list', items: [] })).items

/** Hashes, lists and sets. */
export const collections: Readonly<Record<string, Command>> = {
  HGET: { run: (context, key = '', field = '') => hashAt(context, key)?.get(field) ?? null },
  HMGET: {
    run: (context, key = '', ...fields) => {
      const hash = hashAt(context, key)
      return fields.map((field) => hash?.get(field) ?? null)
    },
  },
  HEXISTS: { run: (context, key = '', field = '') => (hashAt(context, key)?.has(field) ? 1 : 0) },
  HLEN: { run: (context, key = '') => hashAt(context, key)?.size ?? 0 },
  HKEYS: { run: (context, key = '') => [...(hashAt(context, key)?.keys() ?? [])] },
  HVALS: { run: (context, key = '') => [...(hashAt(context, key)?.values() ?? [])] },
  HGETALL: { run: (context, key = '') => [...(hashAt(context, key) ?? [])].flat() },
  HRANDFIELD: { run: randomFields },
  HSET: {
    writes: true,
    grows: true,
    run: (context, key = '', ...pairs) => {
      const hash = hashToWrite(context, key)
      const before = hash.size
      for (let at = 0; at < pairs.length; at += 2) hash.set(pairs[at] ?? '', pairs[at + 1] ?? '')
      return hash.size - before
    },
  },
  HSETNX: {
    writes: true,
    grows: true,
    run: (context, key = '', field = '', text = '') => {
      if (hashAt(context, key)?.has(field)) return 0
      hashToWrite(context, key).set(field, text)
      return 1
    },
  },
  HDEL: {
    writes: true,
    run: (context, key = '', ...fields) => {
      if (!hashAt(context, key)) return 0
      const hash = hashToWrite(context, key)
      const gone = fields.filter((field) => hash.delete(field)).length
      context.database.settle(key)
      return gone
    },
  },
  LLEN: { run: (context, key = '') => listAt(context, key).length },
  LINDEX: { run: (context, key = '', at = '') => listAt(context, key).at(integer(at)) ?? null },
  LRANGE: {
    run: (context, key = '', from = '', to = '') => {
      const items = listAt(context, key)
      return items.slice(...range(items.length, integer(from), integer(to)))
    },
  },
  LPOS: {
    run: (context, key = '', item = '', ...options) => {
      const most = options[0]?.toUpperCase() === 'MAXLEN' ? integer(options[1] ?? '') : Infinity
      const at = listAt(context, key).indexOf(item)
      return at === -1 || at >= most ? null : at
    },
  },
  LPUSH: {
    writes: true,
    grows: true,
    run: (context, key = '', ...items) => listToWrite(context, key).unshift(...items.reverse()),
  },
  RPUSH: {
    writes: true,
    grows: true,
    run: (context, key = '', ...items) => listToWrite(context, key).push(...items),
  },
  LPOP: { writes: true, run: (context, key = '') => changed(context, key, (items) => items.shift()) ?? null },
  LREM: {
    writes: true,
    run: (context, key = '', count = '', item = '') =>
      changed(context, key, (items) => {
        let left = integer(count) === 0 ? Infinity : integer(count)
        const before = items.length
        for (let at = items.indexOf(item); at !== -1 && left > 0; at = items.indexOf(item)) {
          items.splice(at, 1)
          left -= 1
        }
        return before - items.length
      }) ?? 0,
  },
  LTRIM: {
    writes: true,
    run: (context, key = '', from = '', to = '') => {
      changed(context, key, (items) => {
        items.splice(0, items.length, ...items.slice(...range(items.length, integer(from), integer(to))))
      })
      return ok
    },
  },
  SADD: {
    writes: true,
    grows: true,
    run: ({ database }, key = '', ...members) => {
      const set = database.write(key, 'set', () => ({ type: 'set', members: new Set() })).members
      const before = set.size
      for (const member of members) set.add(member)
      return set.size - before
    },
  },
  SCARD: { run: ({ database }, key = '') => database.read(key, 'set')?.members.size ?? 0 },
  SRANDMEMBER: {
    run: ({ database, random }, key = '', count = '') =>
      sample([...(database.read(key, 'set')?.members ?? [])], integer(count), random),
  },
}

/** Changes a list that is there. */
function changed<T>(context: CommandContext, key: string, change: (items: string[]) => T): T | undefined {
  if (listAt(context, key).length === 0) return undefined
  const result = change(listToWrite(context, key))
  context.database.settle(key)
  return result
}

function randomFields(context: CommandContext, key = '', count?: string, ...options: string[]): Reply {
  const hash = hashAt(context, key)
  const fields = [...(hash?.keys() ?? [])]
  if (count === undefined) return fields[Math.floor(context.random() * fields.length)] ?? null
  const drawn = sample(fields, integer(count), context.random)
  return options.length === 0 ? drawn : drawn.flatMap((field) => [field, hash?.get(field) ?? ''])
}

/** So many of them, each once. */
function sample(all: readonly string[], count: number, random: () => number): string[] {
  const left = [...all]
  const drawn: string[] = []
  while (left.length > 0 && drawn.length < count)
    drawn.push(...left.splice(Math.floor(random() * left.length), 1))
  return drawn
}

/** As `slice` takes them. */
export function range(length: number, from: number, to: number): readonly [start: number, end: number] {
  const start = from < 0 ? Math.max(0, length + from) : from
  const end = to < 0 ? length + to : to
  return [start, Math.max(start, end + 1)]
}
