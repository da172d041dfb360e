import { call, fault, P1, type Edit, type Variant } from './variant.js'

/** In the text of the functions of read/write locks and semaphores. */
function edit(file: string, find: string, replace: string): Edit {
  return { of: 'postgres', file: `sql/shared/${file}`, find, replace }
}

const topology = 'postgres'

/** The engine for PostgreSQL, with one bug in read/write locks or semaphores. */
export const postgresSharedVariants: readonly Variant[] = [
  {
    name: 'the permits of a hold that has ended are not free',
    edits: [edit('blocks.js', 'select coalesce(sum(permits), 0), ', 'select l.used, ')],
    breaks: ['leftovers'],
    topology,
    // P1 dies with two permits; while P2 keeps the semaphore in use, P3 looks.
    schedule: {
      object: 'semaphore',
      calls: [
        [call(300, 1_500, { permits: 2 })],
        [call(400, 2_500, { permits: 1 })],
        [call(1_900, 200, { permits: 1 })],
      ],
      faults: [fault('killProcess', 600, 10, P1)],
    },
  },
  {
    name: 'no hold is known to end before the last that began',
    edits: [
      edit(
        'let-in.js',
        'l.ends_from_us := least(case when used_before > 0 then l.ends_from_us end, ',
        'l.ends_from_us := least(',
      ),
    ],
    breaks: ['leftovers'],
    topology,
    schedule: {
      object: 'semaphore',
      calls: [[call(300, 900, { permits: 1, leaseMs: 1_000 })], [call(500, 700, { leaseMs: 1_500 })], []],
      faults: [],
    },
  },
  {
    name: 'readers pass a waiting writer',
    edits: [
      edit(
        'let-in.js',
        'then waiter.alive_until_us end;\n        exit;',
        'then waiter.alive_until_us end;\n        is_closed := false;\n        continue;',
      ),
    ],
    breaks: ['order'],
    topology,
    schedule: {
      object: 'read-write-lock',
      calls: [
        [call(300, 900, { side: 'read' })],
        [call(600, 10, { side: 'write' })],
        [call(900, 10, { side: 'read' })],
      ],
      faults: [],
    },
  },
  {
    name: 'a request that fits is not stopped by one that waits for more',
    edits: [
      edit('let-in.js', 'and p_requester.ticket is null and not is_closed', 'and p_requester.ticket is null'),
    ],
    breaks: ['order'],
    topology,
    schedule: {
      object: 'semaphore',
      calls: [
        [call(300, 900, { permits: 2 })],
        [call(600, 10, { permits: 4 })],
        [call(900, 10, { permits: 1 })],
      ],
      faults: [],
    },
  },
  {
    name: 'a partial release gives back all permits',
    edits: [
      edit('release.js', 'l.used := l.used - permits_held + p_left;', 'l.used := l.used - permits_held;'),
    ],
    breaks: ['exclusion'],
    topology,
    // P1 gives one of four back; P2 takes two.
    schedule: {
      object: 'semaphore',
      calls: [
        [call(300, 1_200, { permits: 4, givesBack: 1 })],
        [call(600, 300, { permits: 2, waitMs: 600 })],
        [],
      ],
      faults: [],
    },
  },
  {
    name: 'a request enters where any permit is free',
    edits: [
      edit('acquire.js', 'l.used + p_want <= ', 'l.used < '),
      edit('let-in.js', 'l.used + waiter.want > room', 'l.used >= room'),
      edit('let-in.js', 'l.used + p_requester.want <= ', 'l.used < '),
    ],
    breaks: ['exclusion'],
    topology,
    // P2 wants to write beside a reader.
    schedule: {
      object: 'read-write-lock',
      calls: [[call(300, 600, { side: 'read' })], [call(500, 100, { side: 'write', waitMs: 200 })], []],
      faults: [],
    },
  },
  {
    name: 'a semaphore that shrinks lets in as many as before',
    edits: [edit('blocks.js', '(case when l.version > 0 then l.size else ${ownSize} end)', '(${ownSize})')],
    breaks: ['exclusion'],
    topology,
    schedule: {
      object: 'semaphore',
      calls: [[], [call(800, 200, { permits: 3 })], []],
      faults: [],
      resizes: [{ process: P1, lock: 0, atMs: 300, size: 1, keepMs: 2_000 }],
    },
  },
  {
    name: 'nobody is notified of having entered',
    edits: [edit('let-in.js', 'perform pg_notify(inbox,', 'perform concat(inbox,')],
    breaks: ['progress'],
    topology,
    // All get in, but each only at a refresh.
    schedule: {
      object: 'semaphore',
      calls: [
        [call(300, 200, { permits: 4 }), call(350, 20, { permits: 4 }), call(353, 20, { permits: 4 })],
        [call(310, 20, { permits: 4 }), call(320, 20, { permits: 4 }), call(330, 20, { permits: 4 })],
        [call(340, 20, { permits: 4 }), call(345, 20, { permits: 4 })],
      ],
      faults: [],
    },
  },
]
