import { MemoryQueues, MemoryStore, newLink, queueTraits } from '@holdfast/sim/stores'
import { quietHost } from '@holdfast/conformance'
import type { AcquireRequest, EngineSession, ObjectType } from '@holdfast/core/engine'
import type { QueueStore, sessionQueue } from '@holdfast/stores/sessions'
import type { InProcessLink } from '@holdfast/conformance'

const timeoutMs = 2_000
const leaseMs = 60_000
/** Less than a session lives, and more than some sizes are in force. */
const passesMs = 20_000
const size = 3
const stepCount = 60
const ownersPerClient = 2
const clientCount = 2
const mostRequests = 1_000

type Say = (line: string) => void

/** Chooses one of so many. */
type Choose = (count: number) => number

/** The same for the same seed. */
function shuffled(seed: number): Choose {
  let state = seed
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
}

/** A line for each reply, each report to a client and each request to the store, of clients of one object that do this and that. */
export async function transcriptOf(
  make: typeof sessionQueue,
  object: ObjectType,
  seed: number,
): Promise<readonly string[]> {
  let passedMs = 0
  // A transcript that ended with an error may have left its clock behind.
  jest.restoreAllMocks()
  const now = performance.now.bind(performance)
  jest.spyOn(performance, 'now').mockImplementation(() => now() + passedMs)
  const lines: string[] = []
  const say: Say = (line) => lines.push(line)
  const queues = new MemoryQueues()
  const links = Array.from({ length: clientCount }, () => newLink())
  const sessions = links.map((link, n) => open(make, queues, link, `c${n}`, say))
  for (const session of sessions) await session.prepare(session.names.locate('any', 'lock'))
  const choose = shuffled(seed)
  for (let n = 0; n < stepCount; n += 1) {
    const client = choose(clientCount)
    const session = sessions[client]
    if (!session) continue
    const owner = `c${client}:${choose(ownersPerClient)}`
    if (choose(12) === 0) {
      say('time passes')
      passedMs += passesMs
    }
    if (choose(20) === 0) void links[client]?.loseNextReply()
    const [what, step] = stepOf(session, object, owner, choose)
    const reply = await step.catch((error: unknown) => String(error))
    say(`${what} ${owner}: ${shown(reply)}`)
    await quiet()
  }
  await Promise.all(sessions.map((session) => session.close()))
  jest.restoreAllMocks()
  return lines
}

function open(
  make: typeof sessionQueue,
  queues: MemoryQueues,
  link: InProcessLink,
  clientId: string,
  say: Say,
): EngineSession {
  const host = quietHost(clientId, {
    commandTimeoutMs: timeoutMs,
    granted: (_, owner, { token, proof }) => say(`granted ${owner} ${token} ${proof}`),
    revoked: (owner) => say(`revoked ${owner}`),
    wake: (_, owner) => say(`wake ${owner ?? 'anyone'}`),
    broken: () => say(`broken ${clientId}`),
  })
  const engine = make({
    name: 'transcript',
    traits: queueTraits,
    open: (_, events) => overheard(new MemoryStore(queues, link, host, events), say),
  })
  return engine.open(host)
}

/** Says what is asked of it. */
function overheard(store: QueueStore, say: Say): QueueStore {
  let requests = 0
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...args: unknown[]): unknown => {
        if ((requests += 1) > mostRequests) throw new Error('it asks for ever')
        if (name !== 'connect') say(`  ${String(name)} ${shown(args)}`)
        return Reflect.apply(member, target, args)
      }
    },
  })
}

function stepOf(
  { steps, names }: EngineSession,
  object: ObjectType,
  owner: string,
  choose: Choose,
): readonly [what: string, step: Promise<unknown>] {
  const address = names.locate('compared', object)
  const isLock = object === 'lock'
  const count = 1 + choose(isLock ? 2 : size)
  const request: AcquireRequest = {
    ...{
      owner,
      count,
      ...(isLock ? {} : { size }),
      leaseMs: leaseMs * (1 + choose(3)),
      grantLeaseMs: leaseMs,
    },
    ...{ entryTtlMs: choose(4) === 0 ? 0 : leaseMs, proof: 'p', wantsToken: true },
  }
  switch (choose(12)) {
    case 0:
      return ['renew', steps.renew([{ address, owner, leaseMs }], timeoutMs)]
    case 1:
      return ['refresh', steps.refresh([{ address, owner, entryTtlMs: leaseMs }])]
    case 2:
      return ['force', steps.force(address, `c${choose(clientCount)}:${choose(ownersPerClient)}`)]
    case 3:
      return ['inspect', steps.inspect(address, 5)]
    case 4:
      if (object !== 'semaphore' || !steps.resize) return ['inspect', steps.inspect(address, 5)]
      return ['resize', steps.resize(address, resizeOf(choose), timeoutMs)]
    case 5:
    case 6:
    case 7:
      return [
        'release',
        steps.release(address, { owner, count: 0, tombstoneMs: choose(8) === 0 ? leaseMs : 0 }, timeoutMs),
      ]
    case 8:
      return ['lower', steps.release(address, { owner, count: 1, tombstoneMs: 0 }, timeoutMs)]
    default:
      return ['acquire', steps.acquire(address, request, timeoutMs)]
  }
}

const resizeOf = (choose: Choose) => ({
  ...{
    size: 1 + choose(5),
    keepMs: choose(2) === 0 ? leaseMs : passesMs / 2,
    version: choose(3),
    id: `r${choose(100)}`,
  },
})

const ownerOf = (holder: unknown): string =>
  typeof holder === 'object' && holder !== null && 'owner' in holder ? String(holder.owner) : String(holder)
const sorted = (holders: readonly unknown[]): readonly unknown[] =>
  [...holders].sort((a, b) => (ownerOf(a) < ownerOf(b) ? -1 : 1))

/** Durations about, no instants, and holders by their names: the rest is not the same twice. */
const shown = (value: unknown): string =>
  JSON.stringify(value, (name, each: unknown) => {
    if (name === 'holders') return sorted(each as readonly unknown[])
    if (typeof each !== 'number' || !name.endsWith('Ms')) return each
    return name === 'untilMs' ? 'some time' : Math.round(each / 10_000)
  })

/** What follows from a step has followed. */
async function quiet(): Promise<void> {
  for (let n = 0; n < 12; n += 1) await new Promise(setImmediate)
}
