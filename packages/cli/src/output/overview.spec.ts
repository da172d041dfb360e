import type { ClientReport } from '@holdfast/core'
import { overviewLines, overviewOf } from './overview.js'

const client = { host: 'w3', pid: 812, label: '', version: '0.1.0', startedAt: 0 }

/** What another client says of itself is not checked by the compiler. */
const reportWith = (fields: object): ClientReport =>
  JSON.parse(
    JSON.stringify({
      clientId: 'c',
      client,
      holdCount: 0,
      waiterCount: 0,
      counts: { lost: 0 },
      holds: [],
      queue: [],
      losses: [],
      ...fields,
    }),
  ) as ClientReport

const hold = { name: 'order:42', kind: 'lock', heldMs: 1_000, remainingMs: 20_000 }

it('whatever another client sends, nothing is shown that a terminal acts on', () => {
  const hostile = '\x1b[2J\n\x9b31m\u202e'
  const lines = overviewLines(
    overviewOf(1, [
      reportWith({
        client: { ...client, host: hostile, pid: hostile, label: hostile },
        holdCount: hostile,
        waiterCount: hostile,
        counts: { lost: hostile },
        holds: [{ name: hostile, kind: hostile, heldMs: hostile, remainingMs: hostile }],
        queue: [{ name: hostile, kind: hostile, waitedMs: hostile }],
        losses: [{ name: hostile, reason: hostile, agoMs: hostile }],
      }),
    ]),
  )
  expect(lines.join('')).not.toMatch(/\p{C}/u)
  expect(lines.filter((line) => line.includes('\\x1b[2J'))).toHaveLength(4)
})

it('no more holds are laid out than anyone scrolls through', () => {
  const holds = [...Array(150_000).keys()].map((i) => ({ ...hold, name: `order:${i}` }))
  const lines = overviewLines(overviewOf(1, [reportWith({ holdCount: holds.length, holds })]), 80, 24)
  expect(lines[0]).toContain('150,000 holds')
  expect(lines).toHaveLength(1 + 2 + 1_000 + 1)
  expect(lines.at(-1)).toBe('… and 149000 more')
})

it('at 60 × 12, names of locks are whole, and holds are seen below losses and waits', () => {
  const many = <T>(item: T): T[] => Array<T>(30).fill(item)
  const name = 'nightly-export:eu-west-1'
  const report = reportWith({
    client: { ...client, label: 'billing-worker' },
    holds: many({ ...hold, name }),
    queue: many({ name, kind: 'lock', waitedMs: 2_000 }),
    losses: many({ name, reason: 'expired', agoMs: 60_000 }),
  })
  const lines = overviewLines(overviewOf(1, [report]), 60, 12)
  expect(lines.slice(0, 10).map((line) => line.split(/ {2,}/)[0])).toEqual([
    '1 client',
    'LOST',
    name,
    'WAITED FOR',
    name,
    'HELD',
    ...many(name).slice(0, 4),
  ])
  expect(lines.every((line) => line.length <= 60)).toBe(true)
  expect(lines.filter((line) => line.startsWith(name))).toHaveLength(1 + 30 + 30)
})
