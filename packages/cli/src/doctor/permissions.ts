import { messageOf } from '../exit-codes.js'
import { failed, ok, warning, type Finding } from './finding.js'

/** Names that no application uses, of the forms that Holdfast's have. */
export interface ProbeNames {
  readonly lock: string
  /** `{lock}:fifo` */
  readonly queue: string
  readonly registry: string
  readonly channel: string
}

/** One permission, and a command that shows whether the user has it. */
interface Probe {
  readonly permission: string
  readonly command: readonly string[]
}

interface Group {
  readonly title: string
  /** What does not work without. */
  readonly without: string
  readonly isNeeded: boolean
  readonly probes: readonly Probe[]
}

/** Commands that take a key, by their arguments after it. The key holds a string, so nothing is written. */
const onKey: Readonly<Record<string, readonly string[]>> = {
  type: [],
  pttl: [],
  pexpire: ['5000'],
  exists: [],
  get: [],
  hget: ['f'],
  hset: ['f', '1'],
  hsetnx: ['f', '1'],
  hdel: ['f'],
  hgetall: [],
  hrandfield: [],
  hlen: [],
  llen: [],
  lpop: [],
  lpos: ['e'],
  lpush: ['e'],
  lrange: ['0', '0'],
  lrem: ['0', 'e'],
  rpush: ['e'],
  hexists: ['f'],
  hmget: ['f'],
  lindex: ['0'],
  ltrim: ['0', '0'],
  pexpireat: ['9999999999999', 'LT'],
  zadd: ['1', 'e'],
  zcount: ['0', '0'],
  zrange: ['0', '0'],
  zrangebyscore: ['0', '0'],
  zrem: ['e'],
  zremrangebyscore: ['0', '0'],
  zscore: ['e'],
  sadd: ['e'],
  scard: [],
  srandmember: [],
}

const ofLocks =
  'type pttl pexpire exists get hget hset hsetnx hdel hgetall hrandfield hlen llen lpop lpos lpush lrange lrem rpush'
const ofShared =
  'hexists hmget lindex ltrim pexpireat zadd zcount zrange zrangebyscore zrem zremrangebyscore zscore'
const ofLatches = 'hmget sadd scard srandmember zadd zcount zrange zrangebyscore zremrangebyscore'

const keyed = (names: string, key: string): Probe[] =>
  names.split(' ').map((name) => ({ permission: `+${name}`, command: [name, key, ...(onKey[name] ?? [])] }))

const groupsFor = ({ lock, queue, registry, channel }: ProbeNames): Group[] => [
  {
    title: 'permissions for locks',
    without: 'locks do not work',
    isNeeded: true,
    probes: [
      { permission: 'keys of locks', command: ['get', lock] },
      { permission: 'keys of queues', command: ['get', queue] },
      { permission: 'keys of clients', command: ['hgetall', registry] },
      { permission: '+evalsha', command: ['evalsha', '0'.repeat(40), '1', lock] },
      { permission: '+eval', command: ['eval', 'return 1', '1', lock] },
      { permission: '+time', command: ['time'] },
      { permission: '+publish', command: ['publish', channel, ''] },
      { permission: '+subscribe', command: ['subscribe', channel] },
      ...keyed(ofLocks, lock),
      { permission: '+del', command: ['del', lock] },
    ],
  },
  {
    title: 'optional permissions',
    without: 'dead waiters are noticed late, and the server is not checked',
    isNeeded: false,
    probes: [
      { permission: '+info', command: ['info', 'server'] },
      { permission: '+ping', command: ['ping'] },
      { permission: '+client|setname', command: ['client', 'setname', 'holdfast-doctor'] },
      { permission: '+pubsub|numsub', command: ['pubsub', 'numsub', channel] },
    ],
  },
  {
    title: 'permissions for read/write locks and semaphores',
    without: 'these do not work',
    isNeeded: false,
    probes: keyed(ofShared, lock),
  },
  {
    title: 'permissions for latches',
    without: 'these do not work',
    isNeeded: false,
    probes: keyed(ofLatches, lock),
  },
  {
    title: 'permissions for operators',
    without: 'ls and the dashboard do not work',
    isNeeded: false,
    probes: [
      { permission: '+scan', command: ['scan', '0', 'COUNT', '1'] },
      { permission: '+dbsize', command: ['dbsize'] },
      { permission: '+pubsub|channels', command: ['pubsub', 'channels', channel] },
    ],
  },
]

export type Call = (command: readonly string[]) => Promise<unknown>

/**
 * Tries each command on keys of its own, which are gone afterwards.
 *
 * @param call - sends one command; rejects with what Redis says. Subscribes on a connection of its own
 */
export async function checkPermissions(call: Call, names: ProbeNames): Promise<Finding[]> {
  // A string that expires by itself: what would write to a hash or a list is then refused for its type, after its permission.
  const canSet = (await refusalOf(call, ['set', names.lock, '1', 'PX', '5000'])) === null
  if (!canSet)
    return [
      failed(
        'permissions',
        '+set is missing, or the keys of locks are not permitted; the others were not tried',
      ),
    ]
  const findings: Finding[] = []
  for (const group of groupsFor(names)) findings.push(await checkGroup(call, group))
  await call(['del', names.lock]).catch(() => undefined)
  return findings
}

async function checkGroup(call: Call, { title, without, isNeeded, probes }: Group): Promise<Finding> {
  const permissions: Record<string, boolean> = {}
  for (const { permission, command } of probes) {
    permissions[permission] = (await refusalOf(call, command)) === null
  }
  const missing = Object.keys(permissions).filter((permission) => !permissions[permission])
  if (missing.length === 0) return { ...ok(title, `all ${probes.length}`), permissions }
  const report = isNeeded ? failed : warning
  return { ...report(title, `missing: ${missing.join(' ')}; without, ${without}`), permissions }
}

/** Why Redis refuses the user this command, or does not know it; `null` if it does not. */
async function refusalOf(call: Call, command: readonly string[]): Promise<string | null> {
  try {
    await call(command)
    return null
  } catch (error) {
    const text = messageOf(error)
    if (/^NOPERM|unknown (sub)?command/i.test(text)) return text
    // Refused for other reasons than permission: the wrong type, another node's slot.
    if (/^[A-Z]+ /.test(text)) return null
    throw error
  }
}
