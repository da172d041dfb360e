import { memory } from '@holdfast/memory'
import { isFullMatrix } from '@holdfast/testkit'
import { HoldfastQuorum } from '../src/index.js'
import { pause } from '../src/util/backoff.js'
import { SlowEngine } from './support/slow-engine.js'

// Clients of a quorum on stores whose replies take random times, in virtual time: some of them die, freeze or forget
// everything in between. Never are two holders inside that may both rely on the lock, and no one is stuck.

beforeEach(() => jest.useFakeTimers())

afterEach(() => jest.useRealTimers())

const watchdogTimeoutMs = 3_000
const memberTimeoutMs = 300

/** Numbers from 0 to 1 that are the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Fault = 'disconnect' | 'freeze' | 'empty'

interface Scenario {
  readonly masters: number
  readonly clients: number
  readonly faults: readonly Fault[]
  readonly restartQuarantineMs: number
  /** Clients have the masters in different orders. */
  readonly isShuffled: boolean
}

/** Returns what went wrong. */
async function play(seed: number, scenario: Scenario): Promise<string[]> {
  const random = randomOf(seed)
  const upTo = (limit: number): number => Math.floor(random() * limit)
  const stores = Array.from({ length: scenario.masters }, () => memory())
  const engines = stores.map((store) => new SlowEngine(store, () => upTo(4) * upTo(8)))
  const wrong: string[] = []
  const inside = new Set<{ readonly isHeld: boolean }>()
  let lastToken = 0
  const clients = Array.from({ length: scenario.clients }, (_, c) => {
    const order = scenario.isShuffled ? [...engines.slice(c), ...engines.slice(0, c)] : engines
    const { restartQuarantineMs } = scenario
    return new HoldfastQuorum({
      masters: order.map((engine) => ({ engine })),
      watchdogTimeoutMs,
      memberTimeoutMs,
      restartQuarantineMs,
    }).on('error', () => undefined)
  })
  let done = 0
  const entries = 4
  const contending = clients.map(async (client) => {
    const lock = client.getFencedLock('job')
    for (let i = 0; i < entries; i++) {
      const fixed = upTo(3) === 0 ? { leaseMs: 2_000 } : {}
      const lease = await lock.lock(fixed)
      for (const other of inside) if (other.isHeld && lease.isHeld) wrong.push('two holders at once')
      if (lease.fencingToken <= lastToken) wrong.push('a token that does not grow')
      lastToken = Math.max(lastToken, lease.fencingToken)
      inside.add(lease)
      await pause(upTo(200))
      inside.delete(lease)
      await lease.unlock().catch(() => undefined)
      done++
    }
  })
  for (const fault of scenario.faults) {
    await jest.advanceTimersByTimeAsync(upTo(400))
    const victim = upTo(stores.length)
    const [store, engine] = [stores[victim], engines[victim]]
    if (fault === 'empty') store?.failOver()
    if (fault === 'disconnect') store?.disconnect()
    if (fault === 'freeze') engine?.freeze()
    await jest.advanceTimersByTimeAsync(upTo(1_500))
    store?.reconnect()
    engine?.thaw()
  }
  // Time enough for every lease, quarantine and vote that is kept to run out several times.
  for (let i = 0; i < 120 && done < contending.length * entries; i++)
    await jest.advanceTimersByTimeAsync(1_000)
  if (done < contending.length * entries) wrong.push(`stuck after ${done} entries`)
  const closing = Promise.all(clients.map((client) => client.close()))
  await jest.advanceTimersByTimeAsync(10_000)
  await closing
  if (wrong.length === 0) await Promise.all(contending)
  for (const store of stores) {
    const left = store.leaks().filter(({ kind }) => kind === 'hold' || kind === 'queue entry')
    if (left.length > 0) wrong.push(`left behind: ${JSON.stringify(left)}`)
  }
  return wrong
}

const all: Scenario = {
  masters: 3,
  clients: 3,
  faults: [],
  restartQuarantineMs: watchdogTimeoutMs,
  isShuffled: false,
}

/** A fifth of them in a short run. */
it.each<[string, Scenario, number]>([
  ['without faults', all, 40],
  ['with masters in different orders', { ...all, isShuffled: true }, 40],
  ['with a master that dies and comes back', { ...all, faults: ['disconnect', 'disconnect'] }, 40],
  ['with a master that freezes', { ...all, faults: ['freeze', 'freeze'] }, 40],
  ['with a master that forgets', { ...all, faults: ['empty'] }, 40],
  ['with five masters, one dead, one frozen', { ...all, masters: 5, faults: ['disconnect', 'freeze'] }, 20],
  ['with all of it', { ...all, isShuffled: true, faults: ['freeze', 'empty', 'disconnect'] }, 40],
])(
  '%s no schedule has two holders at once, or leaves anyone stuck',
  async (_, scenario, schedules) => {
    for (let seed = 1; seed <= (isFullMatrix ? schedules : schedules / 5); seed++) {
      expect({ seed, wrong: await play(seed, scenario) }).toEqual({ seed, wrong: [] })
    }
  },
  180_000,
)
