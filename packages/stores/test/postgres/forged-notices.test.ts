import { randomInt } from 'node:crypto'
import { onOwnPostgres, startPostgres, uniqueName, until, type PostgresServer } from '@holdfast/testkit'
import { Client } from 'pg'
import { migrationSql } from '../../src/postgres/index.js'
import { channelOf } from '../../src/postgres/channel.js'
import { Clients } from './support/clients.js'
import { makeRole } from './support/roles.js'

const it = onOwnPostgres(globalThis.it)

let server: PostgresServer
/** A connection of a role that has no rights but to connect. */
let stranger: Client
const clients = new Clients()

beforeAll(async () => {
  server = await startPostgres()
  await server.query(migrationSql())
  stranger = new Client({ connectionString: server.urlOf({ role: await makeRole(server) }) })
  await stranger.connect()
})

afterEach(() => clients.closeAll())
afterAll(async () => {
  await stranger.end()
  await server.stop()
})

const waitMs = 60_000

/** Sends messages, and resolves when the client has received them: what a stranger sends arrives in order. */
async function send(clientId: string, payloads: readonly string[]): Promise<void> {
  await stranger.query('select pg_notify($1, payload) from unnest($2::text[]) payload', [
    channelOf(clientId),
    payloads,
  ])
}

/** One lock that A holds and B waits for, and who they are. */
async function contended() {
  const [a, b] = [clients.open({ url: server.url }), clients.open({ url: server.url })]
  const name = uniqueName('lock')
  const [mine, theirs] = [a.holdfast.getLock(name), b.holdfast.getLock(name)]
  const lease = await mine.lock()
  const waits = theirs.lock({ waitMs })
  await until(async () => (await mine.inspect()).waiterCount === 1, { what: 'B to wait' })
  const { waiters, holder } = await mine.inspect()
  const waiting = waiters[0]?.owner ?? ''
  return {
    ...{ a, b, name, mine, lease, waits, waiting },
    holding: holder?.owner ?? '',
    waitingClient: waiting.slice(0, waiting.lastIndexOf(':')),
  }
}

/** A still holds alone, and B gets in after it with an ordinary token. */
async function expectNothingHappened({
  mine,
  lease,
  waits,
  waiting,
  b,
}: Awaited<ReturnType<typeof contended>>) {
  const { holder, waiters } = await mine.inspect()
  expect(holder?.owner).toBe(lease.owner)
  expect(waiters.map(({ owner }) => owner)).toEqual([waiting])
  expect(lease.isHeld).toBe(true)
  await lease.unlock()
  const next = await waits
  expect(next.fencingToken).toBeGreaterThan(lease.fencingToken)
  expect(next.fencingToken - lease.fencingToken).toBeLessThan(60_000_000)
  expect(next.remainingMs()).toBeLessThanOrEqual(30_000)
  await next.unlock()
  // No other lock of the client has caught a token from a message.
  const other = await b.holdfast.getLock(uniqueName('other')).withLock(({ fencingToken }) => fencingToken)
  expect(other - lease.fencingToken).toBeLessThan(60_000_000)
}

describe('a role that has no rights in the schema, and knows owners and channels', () => {
  it('cannot release a lock by telling another client that its owner was granted it', async () => {
    const scene = await contended()
    const { holding, name, waitingClient, lease } = scene
    const [holder, n] = [holding.slice(0, holding.lastIndexOf(':')), Number(/\d+$/.exec(holding)?.[0])]
    const guesses = Array.from({ length: 1_000 }, (_, i) => `${holder}:${n + i - 500}`)
    await send(waitingClient, [
      ...guesses.map((owner) => `granted ${owner} 1 1 1 ${name}`),
      ...guesses.map((owner) => `granted ${owner} 1 1 1 AAAAAAAAAAAAAAAA ${name}`),
    ])
    await seenBy(scene)
    expect(lease.isHeld).toBe(true)
    await expectNothingHappened(scene)
  })

  it('cannot let a waiter in, nor raise the token of any lock', async () => {
    const scene = await contended()
    const { waiting, name, waitingClient } = scene
    const now = 1_000 * Date.now()
    const tokens = ['9007199254740991', String(now + 80_000_000_000), '99999999999999999999']
    await send(
      waitingClient,
      tokens.flatMap((token) => [
        `granted ${waiting} ${token} ${now} 9007199254740991 ${name}`,
        `granted ${waiting} ${token} ${now} 9007199254740991 AAAAAAAAAAAAAAAA ${name}`,
        `entered ${token} ${now} ${waiting}:9007199254740991:AAAAAAAAAAAAAAAA ${name}`,
      ]),
    )
    await seenBy(scene)
    await expectNothingHappened(scene)
  })

  it('cannot have a holder give up its lock', async () => {
    const scene = await contended()
    const { holding } = scene
    let [isLost, aborted] = [false, false]
    scene.a.holdfast.on('lost', () => (isLost = true))
    scene.lease.signal.addEventListener('abort', () => (aborted = true))
    await send(holding.slice(0, holding.lastIndexOf(':')), [`revoked ${holding}`])
    await seenBy(scene, scene.a)
    expect([isLost, aborted]).toEqual([false, false])
    await expectNothingHappened(scene)
  })

  it('changes nothing by 40,000 messages that resemble real ones', async () => {
    const scene = await contended()
    const { waiting, holding, name, waitingClient } = scene
    const latch = scene.b.holdfast.getCountDownLatch(uniqueName('latch'))
    await latch.trySetCount(1)
    const passes = latch.wait({ waitMs })
    let hasPassed = false
    void passes.then(() => (hasPassed = true))
    const rejections: unknown[] = []
    const onRejection = (reason: unknown): void => void rejections.push(reason)
    process.on('unhandledRejection', onRejection)
    const now = 1_000 * Date.now()
    const real = [
      `granted ${waiting} ${now} ${now} 30000 AAAAAAAAAAAAAAAA ${name}`,
      `granted ${holding} ${now} ${now} 30000 AAAAAAAAAAAAAAAA ${name}`,
      `entered ${now} ${now} ${waiting}:30000:AAAAAAAAAAAAAAAA,${holding}:1:B ${name}`,
      `revoked ${waiting}`,
      `open ${now} \\latch ${latch.name}`,
      `gone ${now} \\latch ${latch.name}`,
    ]
    const mutated = Array.from({ length: 40_000 }, (_, i) => mutate(real[i % real.length] ?? ''))
    await send(waitingClient, mutated)
    await seenBy(scene)
    process.off('unhandledRejection', onRejection)
    expect(rejections).toEqual([])
    expect(hasPassed).toBe(false)
    await expectNothingHappened(scene)
    await latch.countDown()
    await passes
  })
})

/** Resolves once a client has handled what was sent to it: what comes after it has an effect. */
async function seenBy({ b, name }: Awaited<ReturnType<typeof contended>>, client = b): Promise<void> {
  const probe = `${name}:probe`
  const sender = client === b ? clients.open({ url: server.url }).holdfast : b.holdfast
  const lease = await sender.getLock(probe).lock()
  const waits = client.holdfast.getLock(probe).lock({ waitMs })
  await until(async () => (await sender.getLock(probe).inspect()).waiterCount === 1, {
    what: 'the probe to wait',
  })
  await lease.unlock()
  await (await waits).unlock()
}

const alphabet = ' :0123456789abcxyz-_,\\\n{}'

/** Changes a few characters: replaces, inserts, removes, repeats a part, or joins two. */
function mutate(text: string): string {
  let changed = text
  for (let n = randomInt(1, 4); n > 0; n--) {
    const at = randomInt(changed.length + 1)
    const character = alphabet[randomInt(alphabet.length)] ?? ''
    const rest = changed.slice(at)
    const ends = [character + rest.slice(1), character + rest, rest.slice(1), rest + rest.slice(0, 40)]
    changed = changed.slice(0, at) + (ends[randomInt(ends.length)] ?? '')
  }
  return changed.slice(0, 2_000)
}
