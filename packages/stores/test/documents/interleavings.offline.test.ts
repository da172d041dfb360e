import { UnavailableError, type EngineSession } from '@holdfast/core/engine'
import { documentEngine } from '@holdfast/stores/documents'
import { DocumentTable } from '@holdfast/sim/stores'
import { hostOf } from './support/open-client.js'
import { requestOf } from './support/request-of.js'
import { everyOrder, Schedule } from './support/schedule.js'

// How long clients pause after a conflict makes no difference to the orders that there are.
jest.mock('node:timers/promises', () => ({
  setTimeout: () => new Promise((resolve) => setImmediate(resolve)),
}))

const timeoutMs = 60_000

/** Repeats a step whose reply was lost. */
async function surely<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (error instanceof UnavailableError) return surely(step)
    throw error
  }
}

interface Turns {
  readonly queue: boolean
  /** Of which request no reply arrives, counted from 1; 0: of none. */
  readonly lostReply: number
  /** How often a client looks again before it gives up. */
  readonly looks: number
}

/** Two clients that take turns, in one order of their requests. Returns what went wrong. */
async function takeTurns(
  choose: (of: number) => number,
  { queue, lostReply, looks: mostLooks }: Turns,
): Promise<string[]> {
  const table = new DocumentTable()
  const schedule = new Schedule(lostReply)
  const engine = documentEngine(schedule.store(table), { queue })
  const problems: string[] = []
  let inside = 0
  let lastToken = 0

  const turn = async ({ steps, names }: EngineSession, owner: string): Promise<void> => {
    const address = names.locate('x', 'lock')
    const request = requestOf(owner, queue ? {} : { entryTtlMs: 0 })
    let reply = await surely(() => steps.acquire(address, request, timeoutMs))
    for (let looks = 0; reply.kind === 'busy' && looks < mostLooks; looks++) {
      reply = await surely(() => steps.acquire(address, request, timeoutMs))
    }
    if (reply.kind === 'held') {
      inside += 1
      if (inside > 1) problems.push('two are inside')
      if (reply.token <= lastToken) problems.push(`token ${reply.token} after ${lastToken}`)
      lastToken = reply.token
    }
    const release = { owner, count: 0, tombstoneMs: 0 }
    if (reply.kind === 'held') inside -= 1
    await surely(() => steps.release(address, release, timeoutMs))
  }
  const clients = ['a', 'b'].map((clientId) => {
    const session = engine.open(hostOf(clientId))
    return schedule.act(clientId, () => turn(session, `${clientId}:1`))
  })
  await schedule.run(choose)
  await Promise.all(clients)
  const session = documentEngine(table).open(hostOf('c'))
  const left = await session.steps.inspect(session.names.locate('x', 'lock'), 9)
  if (left.kind !== 'lock' || left.owner !== '' || left.waiterCount > 0)
    problems.push(`left: ${JSON.stringify(left)}`)
  return problems
}

/** Numbers that look random, always the same for a seed. */
function shuffled(seed: number): (of: number) => number {
  let state = seed
  return (of) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * of)
  }
}

describe.each([
  ['queue', true],
  ['compete', false],
])('two clients that %s are never inside at once, draw growing tokens and leave nothing', (_, queue) => {
  it('in every order of their requests', async () => {
    const orders = await everyOrder(async (choose) => {
      expect(await takeTurns(choose, { queue, lostReply: 0, looks: 0 })).toEqual([])
    })
    expect(orders).toBeGreaterThan(50)
  })

  it.each([1, 2, 3, 4, 5, 6])('in many orders, without the reply to request %i', async (lostReply) => {
    for (let seed = 1; seed <= 40; seed++) {
      expect(await takeTurns(shuffled(seed), { queue, lostReply, looks: 2 })).toEqual([])
    }
  })
})
