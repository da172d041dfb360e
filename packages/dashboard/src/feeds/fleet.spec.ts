import type { ClientReport } from '@holdfast/core'
import { Fleet } from './fleet.js'

const lock = { name: 'order', kind: 'lock', permits: 1, size: null } as const

const client = (clientId: string, report: Pick<ClientReport, 'holds' | 'queue'>) => {
  const info = { host: 'h', pid: 1, label: clientId, startedAt: new Date(0) }
  const counts = { acquired: 0, released: 0, lost: 0 }
  return {
    presence: { clientId, client: info },
    report: {
      clientId,
      client: info,
      holdCount: report.holds.length,
      waiterCount: report.queue.length,
      counts,
      waits: { count: 0, buckets: [] },
      handOffs: 0,
      losses: [],
      ...report,
    },
    reportedAt: 0,
    missed: 0,
  }
}

it('a contended lock is held by the client that reports the hold, whomever a waiter remembers', () => {
  const waits = { ...lock, owner: 'b:1', waitedMs: 9_000, position: 1, holder: 'a:1', stateAgeMs: 5 }
  const hold = { ...lock, owner: 'c:1', holdCount: 1, fencingToken: 2, heldMs: 5_000, remainingMs: 1_000 }
  const waiter = client('b', { holds: [], queue: [waits] })
  const holder = client('c', { holds: [hold], queue: [] })
  const fleet = (...members: (typeof waiter)[]) =>
    new Fleet(new Map(members.map((each) => [each.presence.clientId, each])), 'own', 100)
  expect(fleet(waiter, holder).contended()).toMatchObject([{ holder: { owner: 'c:1' }, heldMs: 5_000 }])
  expect(fleet(waiter).contended()).toMatchObject([{ holder: { owner: 'a:1' }, heldMs: null }])
})

it('a contended read/write lock counts all that read; a hold that is handed on is not a second holder', () => {
  const hold = { owner: 'a:1', holdCount: 1, fencingToken: 0, heldMs: 5_000, remainingMs: 1_000 }
  const wait = { owner: 'c:1', waitedMs: 9_000, position: 1, holder: 'a:1', stateAgeMs: 5 }
  const rowOf = (held: 'read-lock' | 'write-lock') => {
    const of = (kind: 'read-lock' | 'write-lock') => ({ ...lock, kind })
    const members = [
      client('a', { holds: [{ ...of(held), ...hold }], queue: [] }),
      client('b', { holds: [{ ...of(held), ...hold, owner: 'b:1', heldMs: 1 }], queue: [] }),
      client('c', { holds: [], queue: [{ ...of('write-lock'), ...wait }] }),
    ]
    return new Fleet(new Map(members.map((each) => [each.presence.clientId, each])), 'own', 100).contended()
  }
  expect(rowOf('read-lock')).toMatchObject([{ holder: { owner: 'a:1' }, otherReaders: 1 }])
  expect(rowOf('write-lock')).toMatchObject([{ holder: { owner: 'a:1' }, otherReaders: 0 }])
})
