import type { HistoryEvent } from './event.js'
import { toMermaid } from './mermaid.js'
import {
  acquired,
  requested,
  confirmed,
  ended,
  fault,
  killed,
  queued,
  refused,
  stalled,
} from './short-events.js'

function drawn(...events: HistoryEvent[]): string[] {
  return toMermaid(events)
    .split('\n')
    .map((line) => line.trim())
}

it('a history is a sequence of messages with holds as activation bars', () => {
  expect(
    toMermaid([
      requested(0, 'a1'),
      acquired(1, 'a1', 100, { token: 1_700 }),
      requested(2, 'b1'),
      queued(3, 'b1'),
      ...fault(4, 120, { fault: 'freezeProcess', disturbs: ['A'] }),
      acquired(101, 'b1', 900, { token: 1_900 }),
      ended('lost', 121, 'a1'),
      ended('left', 130, 'b1'),
      ended('released', 131, 'b1'),
    ]),
  ).toBe(`sequenceDiagram
  participant A
  participant B
  participant Redis
  A->>Redis: lock
  Redis-->>A: held, token 1
  activate A
  B->>Redis: lock
  Redis-->>B: wait
  Note over A: freezeProcess
  Note over A: its claim ends
  deactivate A
  Redis-->>B: held, token 2
  activate B
  Note over A: freezeProcess: over
  Note over A: learns that it lost it
  B->>Redis: unlock
  deactivate B
  Redis-->>B: unlocked`)
})

it('a conflict is noted where it begins', () => {
  expect(drawn(acquired(0, 'a1'), acquired(1, 'b1'), ended('left', 2, 'a1')).slice(4)).toEqual([
    'Redis-->>A: held',
    'activate A',
    'Redis-->>B: held',
    'activate B',
    'Note over A,B: both hold it',
    'A->>Redis: unlock',
    'deactivate A',
  ])
})

it('all other events are notes', () => {
  expect(
    drawn(
      requested(0, 'a1', { waitMs: 0 }),
      refused(1, 'a1', 'timeout'),
      ended('loss-found', 1.5, 'a1'),
      stalled(2, 'B', 5),
      killed(3, 'B'),
      ...fault(4, 5, { fault: 'failover', disturbs: 'all' }),
      ...fault(6, 7, { id: 'g', fault: 'FLUSHALL' }),
      { kind: 'counted', atMs: 8, lock: 'job', owner: 'a1', atClient: 2, atServer: 1 },
      { kind: 'counted', atMs: 9, lock: 'job', owner: 'a1', atClient: 1, atServer: 1 },
      { kind: 'leftover', atMs: 10, lock: 'job', what: 'a#b; c' },
    ).slice(4),
  ).toEqual([
    'A->>Redis: try to lock',
    'Note over A: gives up: timeout',
    'Note over A: finds that it lost it',
    'Note over B: stalled',
    'Note over B: is killed',
    'Note over A,Redis: failover',
    'Note over A,Redis: failover: over',
    'Note over Redis: FLUSHALL',
    'Note over Redis: FLUSHALL: over',
    'Note over Redis: counts 1, the client 2',
    'Note over Redis: left behind: a#35;b#59; c',
  ])
})

it('re-entries show their count, and several locks their names', () => {
  expect(
    drawn(
      acquired(0, 'a1'),
      acquired(1, 'a1', null, { call: 'a2', count: 2 }),
      ended('left', 2, 'a1', 'a2'),
      ended('left', 3, 'a1'),
      requested(4, 'a3', { lock: 'other' }),
    ).slice(3),
  ).toEqual([
    'Redis-->>A: held job',
    'activate A',
    'Redis-->>A: held job, count 2',
    'A->>Redis: unlock job',
    'A->>Redis: unlock job',
    'deactivate A',
    'A->>Redis: lock other',
  ])
})

it('two runs that differ in timing, and in the order of replies to a release and a grant, yield the same picture', () => {
  function run(ms: number, answerMs: number): string {
    return toMermaid([
      acquired(ms, 'a1', 90 * ms, { token: 17 * ms }),
      confirmed(2 * ms, 'a1', 99 * ms),
      ended('left', 5 * ms, 'a1'),
      acquired(6 * ms, 'b1', 90 * ms, { token: 19 * ms }),
      ended('released', answerMs, 'a1'),
    ])
  }
  expect(run(10, 55)).toBe(run(12, 100))
})

it('names that are reserved in Mermaid are escaped', () => {
  const lines = drawn(requested(0, 'a1', { process: 'end' }), requested(0, 'a2', { process: 'worker-1' }))
  expect(lines.slice(1)).toEqual([
    'participant P_end as end',
    'participant worker_1 as worker-1',
    'participant Redis',
    'P_end->>Redis: lock',
    'worker_1->>Redis: lock',
  ])
})
