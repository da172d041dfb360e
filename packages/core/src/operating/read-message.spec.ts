import { readMessage } from './messages.js'

it.each([
  'hello',
  'granted client:1 5 6 7 lock:a',
  'report {"id":"question"}',
  'report {"id":1,"clientId":"c","page":0,"pages":1,"holds":[],"queue":[],"losses":[]}',
  'report {"id":"q","clientId":"c","page":0,"pages":1,"holds":[],"queue":[],"losses":[],"head":{}}',
  'ask {"id":"question","from":"client"}',
  'ask {',
  'ask null',
  'ask {"id":"q","from":"client","limit":-1,"spreadMs":0}',
  'ask {"id":"q","from":"client","limit":1,"spreadMs":0,"name":5}',
  `ask {"id":"${'q'.repeat(101)}","from":"client","limit":1,"spreadMs":0}`,
  `ask {"id":"q","from":"${'c'.repeat(101)}","limit":1,"spreadMs":0}`,
  `ask {"id":"q","from":"client","limit":1,"spreadMs":0,"more":"${'x'.repeat(7_000)}"}`,
  'report {"id":"q","clientId":"c","page":1,"pages":1,"holds":[],"queue":[],"losses":[]}',
  'report {"id":"q","clientId":"c","page":0.5,"pages":2,"holds":[],"queue":[],"losses":[]}',
  'report {"id":"q","clientId":"c","page":-1,"pages":2,"holds":[],"queue":[],"losses":[]}',
  'evicting {"owner":"client:1"}',
  'evicting {"owner":"client:1","by":""}',
  'evicting {"owner":"client:1","by":"\\u001b[31m"}',
  `evicting {"owner":"client:1","by":"${'x'.repeat(201)}"}`,
  'later {"word":"unknown"}',
])('the text %s means nothing to this version', (text) => expect(readMessage(text)).toBeNull())

describe('a report', () => {
  const lists = { holds: [], queue: [], losses: [] }
  const page = { id: 'question', clientId: 'client', page: 0, pages: 1, ...lists }
  const head = {
    clientId: 'client',
    client: { host: 'here', pid: 1, label: '', startedAt: 0 },
    holdCount: 0,
    waiterCount: 0,
    counts: { acquired: 0, released: 0, lost: 0 },
    waits: { count: 0, buckets: [0, 1] },
    handOffs: 0,
  }
  const read = (given: object) => {
    const message = readMessage(`report ${JSON.stringify({ ...page, ...given })}`)
    return message?.kind === 'report' ? message.content : null
  }

  it('is read with its head', () => expect(read({ head })).toEqual({ ...page, head }))

  it.each([
    ['of another client', { ...head, clientId: 'other' }],
    ['with counts that are none', { ...head, waits: { count: 1, buckets: ['1'] } }],
    ['with a date that is none', { ...head, client: { ...head.client, startedAt: 1e300 } }],
  ])('is ignored with a head %s', (_, given) => expect(read({ head: given })).toBeNull())

  const owned = { name: 'order', kind: 'lock', owner: 'client:1' }
  const of = { ...owned, permits: 1, size: null }
  const hold = { ...of, holdCount: 1, fencingToken: 1, heldMs: 5, remainingMs: 5 }
  const wait = { ...of, waitedMs: 5, position: 1, holder: 'other:1', stateAgeMs: 5 }
  const loss = { ...owned, reason: 'revoked', agoMs: 5 }

  it('keeps what this version knows and drops the rest', () => {
    const wrong = { kind: '\u001b[2J', name: 5, owner: null }
    const spoilt = (item: object): unknown[] =>
      Object.entries(wrong).map(([key, value]) => ({ ...item, [key]: value }))
    expect(
      read({
        holds: [null, 'x', ...spoilt(hold), { ...hold, heldMs: '5' }, { ...hold, size: 'x' }, hold],
        queue: [
          ...spoilt(wait),
          { ...wait, holder: 5 },
          { ...wait, position: null },
          { ...wait, name: '\ud800' },
          wait,
        ],
        losses: [
          ...spoilt(loss),
          { ...loss, reason: '\u001b[2J' },
          { ...loss, reason: 'toString' },
          { ...loss, agoMs: 1e300 },
          loss,
        ],
      }),
    ).toEqual({ ...page, holds: [hold], queue: [wait], losses: [loss] })
  })
})
