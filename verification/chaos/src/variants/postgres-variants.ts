import { call, fault, type Edit, type Variant } from './variant.js'

/** In the text of the functions, and in what calls them. */
function edit(file: string, find: string, replace: string): Edit {
  return { of: 'postgres', file, find, replace }
}

const topology = 'postgres'

/** The engine for PostgreSQL, with one bug. */
export const postgresVariants: readonly Variant[] = [
  {
    name: 'the row of the lock is read without locking it',
    edits: [
      edit(
        'sql/blocks.js',
        'where name = p_name for no key update;\n    exit when found;',
        'where name = p_name;\n    exit when found and pg_sleep(0.05) is not null;',
      ),
    ],
    breaks: ['exclusion'],
    topology,
    // The first call makes the row. Then all read it at once.
    schedule: {
      calls: [[call(0, 0), call(600, 300)], [call(600, 300)], [call(600, 300)]],
      faults: [],
    },
  },
  {
    name: 'a release does not check the owner',
    edits: [
      edit(
        'sql/release.js',
        'is_mine := l.owner is not distinct from p_owner',
        'is_mine := l.owner is not null',
      ),
    ],
    breaks: ['exclusion'],
    topology,
    // P2 gives up waiting; its clean-up frees the lock of P1; P3 gets in.
    schedule: {
      calls: [[call(300, 1_800)], [call(900, 0, { waitMs: 300 })], [call(1_000, 300)]],
      faults: [],
    },
  },
  {
    name: 'the last in the queue is served first',
    edits: [edit('sql/hand-off.js', 'order by ticket limit 1', 'order by ticket desc limit 1')],
    breaks: ['order'],
    topology,
    schedule: {
      calls: [[call(300, 900)], [call(600, 10)], [call(900, 10)]],
      faults: [],
    },
  },
  {
    name: 'no waiter is notified of a grant',
    edits: [edit('sql/hand-off.js', 'perform pg_notify(waiter.inbox,', 'perform concat(waiter.inbox,')],
    breaks: ['progress'],
    topology,
    // All get in, but each only at a refresh.
    schedule: {
      calls: [
        [call(300, 200), call(350, 20), call(353, 20)],
        [call(310, 20), call(320, 20), call(330, 20)],
        [call(340, 20), call(345, 20)],
      ],
      faults: [],
    },
  },
  {
    name: 'tokens are counted, and do not follow the clock',
    edits: [
      edit(
        'sql/blocks.js',
        'l.token := greatest(now_us, p_floor + 1, case when l.fence_until_us > now_us then l.token + 1 else 0 end)',
        'l.token := l.token + 1',
      ),
    ],
    breaks: ['tokens'],
    topology,
    // A crash empties the tables.
    schedule: {
      calls: [[call(0, 10), call(100, 10), call(200, 10)], [call(1_500, 10)], []],
      faults: [fault('crashUnlogged', 600, 10, 0)],
    },
  },
]
