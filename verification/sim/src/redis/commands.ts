import { collections } from './collections.js'
import type { Command, CommandContext } from './command.js'
import { CommandError } from './database.js'
import { integer } from './numbers.js'
import { Failure, ok, Status, type Reply } from './reply.js'
import { sortedSets } from './sorted-sets.js'

const keyspace: Readonly<Record<string, Command>> = {
  PING: { run: () => new Status('PONG') },
  INFO: { run: ({ info }, section = '') => info(section) },
  TIME: {
    run: ({ nowUs }) => [String(Math.floor(nowUs / 1e6)), String(nowUs % 1e6)],
  },
  DBSIZE: { run: ({ database }) => database.keys().length },
  // All at once, whatever is asked for.
  SCAN: {
    run: ({ database }, _cursor = '', ...args) => {
      const pattern = globOf(args[args.indexOf('MATCH') + 1] ?? '*')
      return ['0', database.keys().filter((key) => pattern.test(key))]
    },
  },
  EXISTS: { run: ({ database }, ...keys) => keys.filter((key) => database.get(key)).length },
  TYPE: { run: ({ database }, key = '') => new Status(database.get(key)?.type ?? 'none') },
  PTTL: {
    run: ({ database }, key = '') => {
      const ttlMs = database.ttlMs(key)
      if (ttlMs === undefined) return -2
      return ttlMs === Infinity ? -1 : ttlMs
    },
  },
  DEL: { writes: true, run: ({ database }, ...keys) => keys.filter((key) => database.delete(key)).length },
  PEXPIRE: {
    writes: true,
    run: ({ database, nowMs }, key = '', ms = '') => (database.expireAt(key, nowMs + integer(ms)) ? 1 : 0),
  },
  PEXPIREAT: {
    writes: true,
    run: ({ database }, key = '', atMs = '') => (database.expireAt(key, integer(atMs)) ? 1 : 0),
  },
  PUBLISH: { run: ({ publish }, channel = '', message = '') => publish(channel, message) },
  PUBSUB: {
    run: ({ subscribers, channels }, what = '', ...args) => {
      if (what.toUpperCase() === 'NUMSUB') return args.flatMap((channel) => [channel, subscribers(channel)])
      const pattern = globOf(args[0] ?? '*')
      return channels().filter((channel) => pattern.test(channel))
    },
  },
}

const strings: Readonly<Record<string, Command>> = {
  GET: { run: ({ database }, key = '') => database.read(key, 'string')?.text ?? null },
  SET: { writes: true, grows: true, run: set },
}

const table: ReadonlyMap<string, Command> = new Map(
  Object.entries({ ...keyspace, ...strings, ...collections, ...sortedSets }),
)

/** The command of that name, in capitals or not. */
export const commandOf = (name: string): Command | undefined => table.get(name.toUpperCase())

/** Carries it out. Errors are replies. */
export function carryOut(command: Command, context: CommandContext, args: readonly string[]): Reply {
  try {
    return command.run(context, ...args)
  } catch (error) {
    if (error instanceof CommandError) return error.failure
    throw error
  }
}

export const unknownCommand = (name: string): Failure =>
  new Failure(`ERR unknown command '${name}', with args beginning with: `)

function set({ database, nowMs }: CommandContext, key = '', text = '', ...options: string[]): Reply {
  let untilMs = Infinity
  const flags = new Set<string>()
  for (let at = 0; at < options.length; at += 1) {
    const option = options[at]?.toUpperCase() ?? ''
    if (option === 'PX') {
      at += 1
      const ms = integer(options[at] ?? '')
      if (ms <= 0) throw new CommandError("ERR invalid expire time in 'set' command")
      untilMs = nowMs + ms
    } else if (option === 'NX' || option === 'GET') flags.add(option)
    else throw new CommandError('ERR syntax error')
  }
  const old = flags.has('GET') ? database.read(key, 'string') : database.get(key)
  if (!flags.has('NX') || !old) database.put(key, { type: 'string', text }, untilMs)
  if (flags.has('GET')) return old?.type === 'string' ? old.text : null
  return flags.has('NX') && old ? null : ok
}

/** A pattern with `*` and `?`, in which a backslash quotes. */
function globOf(pattern: string): RegExp {
  const source = pattern.replace(/\\(.)|[\s\S]/g, (char: string, quoted: string | undefined) => {
    if (quoted !== undefined) return quoted.replace(/[^\w\s]/, '\\$&')
    return char === '*' ? '[\\s\\S]*' : char === '?' ? '[\\s\\S]' : char.replace(/[^\w\s[\]-]/, '\\$&')
  })
  return new RegExp(`^${source}$`)
}
