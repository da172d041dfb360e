import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { blockBelow, startEtcd, until, withBlockBelow } from '@holdfast/testkit'
import { Clients } from './support/clients.js'
import { Trace } from './support/trace.js'

const page = join(__dirname, '../../../docs/stores/etcd.md')
const clients = new Clients()

afterEach(() => clients.closeAll())

/** Compares with what the page shows; HOLDFAST_UPDATE_DOCS=1 updates it instead. */
function expectOnPage(name: string, body: string): void {
  const shown = readFileSync(page, 'utf8')
  const updated = process.env['HOLDFAST_UPDATE_DOCS'] ? withBlockBelow(shown, name, body) : shown
  if (updated !== shown) writeFileSync(page, updated)
  expect(blockBelow(updated, name)).toBe(body)
}

it('a contended cycle is five requests and one event, as docs/stores/etcd.md walks through it', async () => {
  await using server = await startEtcd()
  const trace = new Trace(server.url)
  try {
    const [a, b] = [
      clients.open({ hosts: [await trace.hostOf('A')] }),
      clients.open({ hosts: [await trace.hostOf('B')] }),
    ]
    for (const each of [a, b]) await each.getLock('walk').withLock(() => undefined)
    const lease = await a.getLock('walk').lock()
    const before = trace.watches
    const from = trace.lines.length
    const passing = b.getLock('walk').withLock(() => undefined)
    await until(() => trace.watches === before + 1)
    await lease.unlock()
    await passing
    const lines = trace.lines.slice(from)
    expect(lines.filter((line) => line.startsWith('B->>'))).toHaveLength(5)
    const head = ['sequenceDiagram', ...['A', 'B', 'etcd'].map((name) => `  participant ${name}`)]
    expectOnPage('picture: contended cycle', [...head, ...lines.map((line) => `  ${line}`)].join('\n'))
    await clients.closeAll()
  } finally {
    trace.close()
  }
})
