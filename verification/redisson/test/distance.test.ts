import { startProxy, startRedis, uniqueName, type FaultProxy, type RedisServer } from '@holdfast/testkit'
import { redissonVersions, runCycles, sidesOf, startRedisson, type Peer, type Reach } from '../src/index.js'
import { rowsOf, wantedCycles } from './support/cycles.js'
import { printTable } from './support/print-table.js'
import type { Side } from './support/describe-together.js'
import { startHoldfast } from './support/start-holdfast.js'

const limit = wantedCycles / 4
const tasks = 8
const delayMs = 1
/** Of its fair share. The actual share depends on the distance and the machine: this limit only detects starvation. */
const leastShare = 1 / 20
const table: Record<string, string | number>[] = []

let server: RedisServer
let proxy: FaultProxy
const peers: Peer[] = []

beforeAll(async () => {
  server = await startRedis()
  proxy = await startProxy(server)
  proxy.delay(delayMs)
})
afterEach(() => Promise.all(peers.splice(0).map((peer) => peer.close())))
afterAll(async () => {
  await proxy.close()
  await server.stop()
  printTable(`One side ${String(delayMs)} ms farther away in each direction, waits in ms`, table)
})

const sides = ['Redisson', 'Holdfast'] as const satisfies Side[]

it.each(sides)(
  'a lock shared by a near and a far side is not withheld from %s when that side is far',
  async (far) => {
    for (const side of [...sides, ...sides]) {
      const { url } = side === far ? proxy : server
      const reach: Reach = { mode: 'single', addresses: [url] }
      peers.push(
        await (side === 'Redisson' ? startRedisson(redissonVersions.newest, reach) : startHoldfast(reach)),
      )
    }
    const run = await runCycles(peers, { lock: uniqueName('lock'), tasks, limit })
    table.push(...rowsOf(run).map((row) => ({ far, ...row })))
    expect(new Set(run.flatMap(({ cycles }) => cycles.map(({ inside }) => inside)))).toEqual(new Set([1]))
    const [, part] = [...sidesOf(run)].find(([name]) => name.startsWith(far)) ?? []
    expect(part?.share).toBeGreaterThan(leastShare / sides.length)
  },
  120_000,
)
