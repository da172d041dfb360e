import { UnavailableError, type EngineSession } from '@holdfast/core/engine'
import { documentEngine } from '@holdfast/documents'
import { DocumentTable } from './support/document-table.js'
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

/** Two clients that take turns, in one order of their requests. Returns what went wrong. */
async function takeTurns(
  choose: (of: number) => number,
  lostReply: number,
  queue: boolean,
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
    // Each looks a few times and goes; without a limit it could look for ever while the other does nothing.
    for (let looks = 0; reply.kind === 'busy' && looks < 1; looks++) {
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

it.each([
  ['queue', true],
  ['compete', false],
])(
  'in every order of their requests, one reply of which is lost, two clients that %s are never inside at once, and leave nothing',
  async (_, queue) => {
    let orders = 0
    for (let lostReply = 0; lostReply <= 4; lostReply++) {
      orders += await everyOrder(async (choose) => {
        expect(await takeTurns(choose, lostReply, queue)).toEqual([])
      })
    }
    expect(orders).toBeGreaterThan(200)
  },
)
