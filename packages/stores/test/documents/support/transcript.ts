import type { AcquireRequest, EngineSession, ObjectType } from '@holdfast/core/engine'
import type { documentEngine, KeyRange } from '@holdfast/stores/documents'
import { DocumentTable } from '@holdfast/sim/stores'
import { hostOf } from './open-client.js'

/** Chooses one of so many. */
type Choose = (count: number) => number

/** Longer than any step takes here. */
const timeoutMs = 10_000
const mostRequests = 1_000
const leaseMs = 20_000
const size = 3
const stepCount = 60
const clients = ['a', 'b', 'c'] as const

/** Time passes when it is told to. */
class StillTable extends DocumentTable {
  #requests = 0

  override get trueMs(): number {
    return 1_700_000_000_123 + this.offsetMs
  }

  override read(key: string) {
    this.#requests += 1
    if (this.#requests > mostRequests) throw new Error('it asks for ever')
    return super.read(key)
  }

  override list(range: KeyRange) {
    this.#requests += 10
    if (this.#requests > mostRequests) throw new Error('it lists for ever')
    return super.list(range)
  }
}

/** What was done, the reply, what the clients were told, and all documents after it, for each step of clients that do this and that. */
export async function transcriptOf(
  make: typeof documentEngine,
  object: ObjectType,
  seed: number,
): Promise<readonly string[]> {
  const choose = shuffled(seed)
  const table = new StillTable({
    clockStepMs: seed % 2 === 0 ? 1 : 1_000,
    ...(seed % 7 === 0 && { evicts: true }),
  })
  const queue = object !== 'lock' || seed % 5 !== 0
  const told: string[] = []
  const engine = make(table, { queue })
  let nowMs = 0
  const now = (): number => (nowMs += 100)
  const sessions = clients.map((clientId) => engine.open({ ...hostOf(clientId, told), now }))
  for (const [n, clientId] of clients.entries()) {
    const untilUs = (table.trueMs + n * 30_000) * 1_000
    table.put(`client:${clientId}`, JSON.stringify({ ...hostOf(clientId).client, untilUs }))
  }
  const lines = [JSON.stringify(engine.traits)]
  for (let n = 0; n < stepCount; n += 1) {
    const client = choose(clients.length)
    const session = sessions[client]
    if (!session) continue
    if (choose(25) === 0) table.repliesToLose = 1 + choose(2)
    const ownersPerClient = seed % 3 === 0 ? 8 : 2
    const ownerOf = (of: number): string => `${clients[of] ?? 'a'}:${choose(ownersPerClient)}`
    const owner = ownerOf(client)
    const other = ownerOf(choose(clients.length))
    const [what, step] = stepOf({ table, session, object, owner, other, choose })
    const reply = await step().catch((error: unknown) => String(error))
    table.repliesToLose = 0
    const documents = [...table.rows].map(([key, { text, untilMs }]) => `${key} until ${untilMs}: ${text}`)
    lines.push(`${what} ${owner}: ${JSON.stringify(reply)}`, ...told.splice(0), ...documents)
  }
  await Promise.all(sessions.map((session) => session.close()))
  return lines
}

interface Turn {
  readonly table: StillTable
  readonly session: EngineSession
  readonly object: ObjectType
  readonly owner: string
  readonly other: string
  readonly choose: Choose
}

type NamedStep = readonly [what: string, step: () => Promise<unknown>]

function stepOf(turn: Turn): NamedStep {
  const { table, session, choose } = turn
  switch (choose(24)) {
    case 0:
    case 1:
    case 2: {
      const ms = [10, 900, 2_500, 12_000, 40_000, 200_000][choose(6)] ?? 0
      return pass(`time passes, ${ms} ms,`, () => {
        table.offsetMs += ms
      })
    }
    case 3:
      return choose(3) === 0 ? mishapOf(turn) : operatorStepOf(turn)
    case 4:
      return operatorStepOf(turn)
    default:
      return turn.object === 'latch' && session.latches ? latchStepOf(turn) : lockStepOf(turn)
  }
}

/** What an operator does not want to see. The clock of a store that lost its data may be behind. */
function mishapOf({ table, object, choose }: Turn): NamedStep {
  switch (choose(3)) {
    case 0:
      return pass('all is lost', () => {
        table.wipe()
        table.offsetMs -= 1_000 * choose(3)
      })
    case 1:
      return pass('junk', () => table.put(`${object}:x`, 'junk'))
    default:
      return pass('it is deleted', () => table.rows.delete(`${object}:x`))
  }
}

const pass = (what: string, then: () => unknown): NamedStep => [what, () => Promise.resolve().then(then)]

function lockStepOf({ session: { steps, names }, object, owner, other, choose }: Turn): NamedStep {
  const address = names.locate('x', object)
  const isLock = object !== 'semaphore'
  const request: AcquireRequest = {
    ...{
      owner,
      count: 1 + choose(isLock ? 2 : size),
      ...(isLock ? {} : { size }),
      proof: 'p',
      wantsToken: true,
    },
    ...{ leaseMs: leaseMs * (1 + choose(3)), grantLeaseMs: leaseMs },
    entryTtlMs: choose(4) === 0 ? 0 : leaseMs,
  }
  switch (choose(12)) {
    case 0:
      return [
        'renew',
        () =>
          steps.renew(
            [address, names.locate('y', object)].map((one) => ({
              address: one,
              owner,
              leaseMs: 3 * leaseMs,
            })),
            timeoutMs,
          ),
      ]
    case 1:
      return ['refresh', () => steps.refresh([{ address, owner, entryTtlMs: leaseMs }])]
    case 2:
      return [`force ${other}`, () => steps.force(address, other)]
    case 3:
      return ['inspect', () => steps.inspect(address, choose(4))]
    case 4:
      if (object === 'lock' && choose(2) === 0)
        return ['raise', async () => steps.raiseToken?.(address, 2_000_000_000_000_000 + choose(9), leaseMs)]
      if (object === 'lock') return pass('note', () => steps.noteToken?.(address, 1_800_000_000_000_000))
      return ['resize', () => resize()]
    case 5:
    case 6:
    case 7: {
      const release = { owner, count: choose(2), tombstoneMs: choose(6) === 0 ? leaseMs : 0 }
      return [
        `release ${release.count} ${release.tombstoneMs}`,
        () => steps.release(address, release, timeoutMs),
      ]
    }
    default:
      return [`acquire ${JSON.stringify(request)}`, () => steps.acquire(address, request, timeoutMs)]
  }

  async function resize(): Promise<unknown> {
    const id = `resize ${choose(1_000)}`
    return steps.resize?.(
      address,
      { size: 1 + choose(5), id, keepMs: leaseMs, version: choose(3) },
      timeoutMs,
    )
  }
}

function latchStepOf({ session, owner, choose }: Turn): NamedStep {
  const address = session.names.locate('x', 'latch')
  const { latches } = session
  if (!latches) throw new Error('documents with a queue have latches')
  const named = [0, 0, 0, 1_700_000_000_123_000][choose(4)] ?? 0
  switch (choose(6)) {
    case 0: {
      const request = { named, setter: owner, count: 1 + choose(3), keepMs: leaseMs }
      return ['set', () => latches.set(address, request, timeoutMs)]
    }
    case 1:
      return ['delete', () => latches.delete(address, { named, tombstoneMs: leaseMs }, timeoutMs)]
    case 2:
      return ['inspect', () => latches.inspect(address, choose(3))]
    case 3:
      return ['wait', () => latches.wait([{ address, awaited: undefined, aliveMs: leaseMs }], timeoutMs)]
    default: {
      const party = `party ${choose(4)}`
      return [`count ${party}`, () => latches.countDown(address, { named, party }, timeoutMs)]
    }
  }
}

function operatorStepOf({ session: { operator, registry }, owner, choose }: Turn): NamedStep {
  if (!operator) throw new Error('the table can list its documents')
  switch (choose(6)) {
    case 0:
      return ['clients', () => operator.clients()]
    case 1:
      return ['send', () => operator.send([...clients], `from ${owner}`)]
    case 2:
      return ['find', () => registry.find('a')]
    default:
      return [
        'list',
        async () => ({
          ...(await operator.list(null, { pattern: '*', contended: choose(2) === 0 })),
          costMs: 0,
        }),
      ]
  }
}

/** Numbers that look random, always the same for a seed. */
function shuffled(seed: number): Choose {
  let state = seed
  return (count) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * count)
  }
}
