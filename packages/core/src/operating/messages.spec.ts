import { longestText } from '../engine/session.js'
import {
  fitted,
  readMessage,
  textOf,
  type ClientReport,
  type HoldReport,
  type LossReport,
  type WaitReport,
} from './messages.js'

const owned = { name: 'order', kind: 'lock', owner: 'client:1' } as const
const of = { ...owned, permits: 1, size: null }
const hold: HoldReport = { ...of, holdCount: 1, fencingToken: 1, heldMs: 5, remainingMs: 5 }
const wait: WaitReport = { ...of, waitedMs: 5, position: 1, holder: 'other:1', stateAgeMs: 5 }
const loss: LossReport = { ...owned, reason: 'revoked', agoMs: 5 }

const report: ClientReport = {
  clientId: 'client',
  client: { host: 'here', pid: 1, label: '', startedAt: new Date(5) },
  holdCount: 0,
  waiterCount: 0,
  counts: { acquired: 0, released: 0, lost: 0 },
  waits: { count: 0, buckets: [0, 1] },
  handOffs: 0,
  losses: [],
  holds: [],
  queue: [],
}

const sent = (given: ClientReport): string =>
  textOf({ kind: 'report', content: { id: 'question', report: given } })

const read = (text: string): ClientReport | null => {
  const message = readMessage(text)
  return message?.kind === 'report' ? message.content.report : null
}

it.each([
  'hello',
  'granted client:1 5 6 7 lock:a',
  'report {"id":"question"}',
  sent({ ...report, clientId: 5 as never }),
  sent({ ...report, waits: { count: 1, buckets: ['1' as never] } }),
  sent({ ...report, counts: null as never }),
  sent({ ...report, client: { ...report.client, startedAt: new Date(NaN) } }),
  'ask {"id":"question","from":"client"}',
  'ask {',
  'ask null',
  'ask {"id":"q","from":"client","spreadMs":0,"name":5}',
  'ask {"id":"q\\u0001","from":"client","spreadMs":0}',
  `ask {"id":"${'q'.repeat(101)}","from":"client","spreadMs":0}`,
  `ask {"id":"q","from":"${'c'.repeat(101)}","spreadMs":0}`,
  `ask {"id":"q","from":"client","spreadMs":0,"more":"${'x'.repeat(7_000)}"}`,
  'evicting {"owner":"client:1"}',
  'evicting {"owner":"client:1","by":""}',
  'evicting {"owner":"client:1","by":"\\u001b[31m"}',
  `evicting {"owner":"client:1","by":"${'x'.repeat(201)}"}`,
  'later {"word":"unknown"}',
])('the text %s means nothing to this version', (text) => expect(readMessage(text)).toBeNull())

describe('a report', () => {
  it('is read as it was sent', () => {
    const given = { ...report, holds: [hold], queue: [wait], losses: [loss] }
    expect(read(sent(given))).toMatchObject(given)
  })

  it('says nothing of owners of other clients', () =>
    expect(read(sent({ ...report, holds: [{ ...hold, owner: 'other:7' }] }))?.holds[0]?.owner).toBe(
      'client:7',
    ))

  it('is read without what this version does not know', () => {
    const spoilt = <T extends object>(item: T, more: object = {}): T[] =>
      Object.entries({ kind: '\u001b[2J', name: 5, ...more }).map(([key, value]) => ({
        ...item,
        [key]: value as never,
      }))
    const holds = [...spoilt(hold, { heldMs: '5', size: 'x', remainingMs: 1e999 }), hold]
    const queue = [...spoilt(wait, { holder: 5, position: null, name: '\ud800' }), wait]
    const losses = [...spoilt(loss, { reason: 'toString', agoMs: 1e300 }), loss]
    const rows = (text: string): string => text.replace('"holds":[', '"holds":[null,"x",[],')
    expect(read(rows(sent({ ...report, holds, queue, losses })))).toMatchObject({
      holds: [hold],
      queue: [wait],
      losses: [loss],
    })
  })

  it('never has a text that is too long, even for names and labels that grow when they are escaped', () => {
    const names = [
      ...Array.from({ length: 30 }, (_, n) => `${n}${'\u0001'.repeat(1_022)}`),
      'a'.repeat(1_024),
    ]
    const label = '\u0001'.repeat(10_000)
    const client = { ...report.client, label }
    const given = fitted({ ...report, holds: names.map((name) => ({ ...hold, name })), client })
    const text = textOf({ kind: 'report', content: { id: 'q'.repeat(100), report: given } })
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(longestText)
    expect(read(text)?.holds.map(({ name }) => name)).toEqual(['a'.repeat(1_024)])
  })

  it('lists the first of each kind, so that many holds leave room for waits and losses', () => {
    const given = fitted({
      ...report,
      holds: Array.from({ length: 1_000 }, (_, n) => ({ ...hold, heldMs: 1_000 - n })),
      queue: Array.from({ length: 1_000 }, (_, n) => ({ ...wait, waitedMs: 1_000 - n })),
      losses: [loss],
    })
    expect(given.losses).toEqual([loss])
    const listed = [given.holds.map(({ heldMs }) => heldMs), given.queue.map(({ waitedMs }) => waitedMs)]
    for (const ages of listed) {
      expect(ages.length).toBeGreaterThan(40)
      expect(ages).toEqual(ages.map((_, n) => 1_000 - n))
    }
  })
})
