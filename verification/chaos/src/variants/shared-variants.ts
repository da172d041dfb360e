import { call, fault, P1, P2, warmUp, type Variant } from './variant.js'

const scripts = 'redis/scripts/generated.js'

/** The library with one bug in read/write locks or semaphores. */
export const sharedVariants: readonly Variant[] = [
  {
    name: 'the permits of a hold that has ended are not free',
    edits: [
      {
        file: scripts,
        find: "used = used - (string.match(endedHold or '', '^%d+') or 0)\n",
        replace: '',
      },
    ],
    breaks: ['leftovers'],
    // P1 dies with two permits; while P2 keeps the semaphore in use, P3 looks.
    schedule: {
      object: 'semaphore',
      calls: [
        [warmUp, call(300, 1_500, { permits: 2 })],
        [warmUp, call(400, 2_500, { permits: 1 })],
        [warmUp, call(1_900, 200, { permits: 1 })],
      ],
      faults: [fault('killProcess', 600, 10, P1)],
    },
  },
  {
    name: 'readers pass a waiting writer',
    edits: [
      {
        file: scripts,
        find: 'blocker, blockedUntilMs = waiter, aliveUntilMs\nbreak',
        replace: 'kept = kept or {}\nkept[#kept + 1] = waiter',
      },
    ],
    breaks: ['order'],
    schedule: {
      object: 'read-write-lock',
      calls: [
        [warmUp, call(300, 900, { side: 'read' })],
        [warmUp, call(600, 10, { side: 'write' })],
        [warmUp, call(900, 10, { side: 'read' })],
      ],
      faults: [],
    },
  },
  {
    name: 'a request that fits is not stopped by one that waits for more',
    edits: [
      {
        file: scripts,
        find: "if requester ~= '' and not wasMet and not blocker and not isFull then",
        replace: "if requester ~= '' and not wasMet then",
      },
    ],
    breaks: ['order'],
    schedule: {
      object: 'semaphore',
      calls: [
        [warmUp, call(300, 900, { permits: 2 })],
        [warmUp, call(600, 10, { permits: 4 })],
        [warmUp, call(900, 10, { permits: 1 })],
      ],
      faults: [],
    },
  },
  {
    name: 'a partial release gives back all permits',
    edits: [
      {
        file: scripts,
        find: 'used = used - permits + left',
        replace: 'used = used - permits',
      },
    ],
    breaks: ['exclusion'],
    // P1 gives one of four back; P2 takes two.
    schedule: {
      object: 'semaphore',
      calls: [
        [warmUp, call(300, 1_200, { permits: 4, givesBack: 1 })],
        [warmUp, call(600, 300, { permits: 2, waitMs: 600 })],
        [],
      ],
      faults: [],
    },
  },
  {
    name: 'a request enters where any permit is free',
    edits: [
      {
        file: scripts,
        find: 'if used + permits <= tonumber(override or ownSize) then',
        replace: 'if used < tonumber(override or ownSize) then',
      },
      {
        file: scripts,
        find: 'used + want - (override or ownSize) <= 0',
        replace: 'used - (override or ownSize) < 0',
      },
      {
        file: scripts,
        find: 'used + want - (override or ownSize) > 0',
        replace: 'used - (override or ownSize) >= 0',
      },
    ],
    breaks: ['exclusion'],
    // P2 wants to write beside a reader.
    schedule: {
      object: 'read-write-lock',
      calls: [
        [warmUp, call(300, 600, { side: 'read' })],
        [warmUp, call(500, 100, { side: 'write', waitMs: 200 })],
        [],
      ],
      faults: [],
    },
  },
  {
    name: 'a downgrade is not sent',
    edits: [
      {
        file: 'holding/hold.js',
        find: '!this.counting.countsEntries && release.count === this.ownTarget.permits',
        replace: '!this.counting.countsEntries && release.count > 0',
      },
    ],
    breaks: ['counts'],
    schedule: {
      object: 'read-write-lock',
      calls: [[warmUp, call(300, 200, { side: 'write', style: 'lock', downgrades: true })], [], []],
      faults: [],
    },
  },
  {
    name: 'the ends of holds expire before their permits do',
    edits: [
      {
        file: scripts,
        find: "call('PEXPIREAT', endsKey, endMs)",
        replace: "call('PEXPIREAT', endsKey, string.format('%.0f', endMs - 300))",
      },
    ],
    breaks: ['exclusion'],
    schedule: {
      object: 'semaphore',
      calls: [
        [warmUp, call(300, 550, { permits: 4, leaseMs: 600 })],
        [warmUp, call(650, 100, { permits: 1 })],
        [],
      ],
      faults: [],
    },
  },
  {
    name: 'a semaphore that shrinks admits as many holders as before',
    edits: [
      {
        file: scripts,
        find: "local override = besideHolds > 1 and string.match(call('GET', sizeKey), '^%d+')",
        replace: 'local override = nil',
      },
    ],
    breaks: ['exclusion'],
    schedule: {
      object: 'semaphore',
      calls: [[warmUp], [warmUp, call(600, 200, { permits: 3 })], []],
      faults: [],
      resizes: [{ process: P1, lock: 0, atMs: 300, size: 1, keepMs: 1_000 }],
    },
  },
  {
    name: 'a reader becomes a writer beside other readers',
    edits: [
      {
        file: 'holding/hold.js',
        find: 'if (target.permits > this.value)',
        replace: 'if (false)',
      },
    ],
    breaks: ['exclusion'],
    schedule: {
      object: 'read-write-lock',
      calls: [
        [warmUp, call(300, 200, { side: 'read', nested: 1, nestedSide: 'write' })],
        [warmUp, call(320, 600, { side: 'read' })],
        [],
      ],
      faults: [],
    },
  },
  {
    name: 'no owner of permits is abandoned',
    edits: [
      {
        file: 'holding/abandonment.js',
        find: 'return this.#release(release);',
        replace: 'return Promise.resolve();',
      },
    ],
    breaks: ['leftovers'],
    // P2 gives up while the reply that grants it permits is still in flight.
    schedule: {
      object: 'semaphore',
      calls: [[], [warmUp, call(450, 0, { permits: 3, leaseMs: 60_000, abortAfterMs: 100 })], []],
      faults: [fault('blackHoleToClient', 400, 300, P2)],
    },
  },
]
