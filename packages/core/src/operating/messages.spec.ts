import { longestText } from '../engine/operator.js'
import { pagesOf, readMessage, textOf } from './messages.js'
import { ownPace } from './pace.js'
import type { ClientReport, HoldReport } from './messages.js'

const hold = (name: string): HoldReport => ({
  name,
  kind: 'lock',
  owner: 'client:1',
  holdCount: 1,
  permits: 1,
  size: null,
  fencingToken: Number.MAX_SAFE_INTEGER,
  heldMs: 12_345,
  remainingMs: 30_000,
})

const report = (more: Partial<ClientReport> = {}): ClientReport => ({
  clientId: 'client',
  client: { host: 'here', pid: 1, label: '', startedAt: new Date(5) },
  holdCount: 0,
  waiterCount: 0,
  counts: { acquired: 0, released: 0, lost: 0 },
  waits: { count: 0, buckets: [] },
  handOffs: 0,
  losses: [],
  holds: [],
  queue: [],
  ...more,
})

const textsOf = async (given: ClientReport): Promise<string[]> =>
  (await pagesOf('question', given, ownPace)).map((content) => textOf({ kind: 'report', content }))

describe('a report', () => {
  it('of a client without holds is one text', async () => {
    const [text = '', ...more] = await textsOf(report())
    expect(more).toEqual([])
    expect(readMessage(text)).toMatchObject({ kind: 'report', content: { id: 'question', pages: 1 } })
  })

  it('never has a text that is too long, even for names and labels that grow when they are escaped', async () => {
    const names = [
      ...Array.from({ length: 30 }, (_, n) => `${n}${'\u0001'.repeat(1_022)}`),
      'a'.repeat(1_024),
    ]
    const label = '\u0001'.repeat(10_000)
    const texts = await textsOf(report({ holds: names.map(hold), client: { ...report().client, label } }))
    for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(longestText)
    const listed = texts.flatMap((text) => {
      const message = readMessage(text)
      return message?.kind === 'report' ? message.content.holds.map(({ name }) => name) : []
    })
    expect(listed).toEqual(names)
  })
})
