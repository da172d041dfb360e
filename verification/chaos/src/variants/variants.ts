import { call, fault, P1, P2, warmUp, type Variant } from './variant.js'

export const variants: readonly Variant[] = [
  {
    name: 'a repeated re-entry counts twice',
    edits: [
      {
        file: 'redis/scripts/generated.js',
        find: "replace('HSET', lockKey, owner, count)\nif",
        replace: "call('HINCRBY', lockKey, owner, leaseMs == '0' and -1 or 1)\nif",
      },
      {
        file: 'redis/scripts/generated.js',
        find: "redis.pcall('HDEL', lockKey, owner) == 1",
        replace:
          "call('HEXISTS', lockKey, owner) == 1\nif mine and call('HINCRBY', lockKey, owner, -1) <= 0 then\ncall('DEL', lockKey)\nend",
      },
    ],
    breaks: ['leftovers'],
    // The re-entry runs, its reply is lost, and it is sent again: one hold count too many remains.
    schedule: {
      calls: [[warmUp, call(400, 400, { nested: 1, leaseMs: 60_000 })], [], []],
      faults: [fault('loseReply', 600, 600, P1)],
    },
  },
  {
    name: 'a release does not check the owner',
    edits: [
      {
        file: 'redis/scripts/generated.js',
        find: "redis.pcall('HDEL', lockKey, owner) == 1",
        replace: "call('DEL', lockKey) == 1",
      },
    ],
    breaks: ['exclusion'],
    // P2 gives up waiting; its clean-up frees the lock of P1; P3 gets in.
    schedule: {
      calls: [
        [warmUp, call(600, 1_800)],
        [warmUp, call(1_200, 0, { waitMs: 300 })],
        [warmUp, call(1_300, 300)],
      ],
      faults: [],
    },
  },
  {
    name: 'the deadline counts from the reply',
    edits: [
      {
        file: 'time/deadline.js',
        find: 'deadlineOfReply = (sentAt, leaseMs, marginMs) => sentAt +',
        replace: 'deadlineOfReply = (sentAt, leaseMs, marginMs) => performance.now() +',
      },
    ],
    breaks: ['exclusion'],
    // The reply to P1 takes half of the lease to arrive.
    schedule: {
      calls: [[warmUp, call(420, 600, { leaseMs: 500 })], [warmUp, call(700, 500)], []],
      faults: [fault('blackHoleToClient', 400, 250, P1)],
    },
  },
  {
    name: 'a late notification is believed',
    edits: [
      {
        file: 'waiting/acquisition.js',
        find: 'if (dated && requestedAt && isEnough && this.#isAhead(dated.deadlineAt, requestedAt, leaseMs)) {',
        replace: `if (true) {
          const grantedAt = performance.now()
          const deadlineAt = grantedAt + notice.leaseMs
          this.#enter(notice.token, requestedAt, notice.leaseMs, { grantedAt, deadlineAt })
        } else if (dated) {`,
      },
    ],
    breaks: ['exclusion'],
    // P2 is notified of its grant after that has expired and P3 is in, but before P2 declares the connection dead.
    schedule: {
      calls: [
        [warmUp, call(300, 300)],
        [warmUp, call(400, 300, { leaseMs: 150 })],
        [warmUp, call(600, 600)],
      ],
      faults: [fault('blackHoleToClient', 550, 240, P2)],
    },
  },
  {
    name: 'the last in the queue is served first',
    edits: [
      {
        file: 'redis/scripts/generated.js',
        find: "call('LPOP', queueKey)",
        replace: "call('RPOP', queueKey)",
      },
    ],
    breaks: ['order'],
    schedule: {
      calls: [
        [warmUp, call(300, 900)],
        [warmUp, call(600, 10)],
        [warmUp, call(900, 10)],
      ],
      faults: [],
    },
  },
  {
    name: 'all tasks of a process are one owner',
    edits: [
      {
        file: 'ownership/owners.js',
        find: 'return ++this.#last',
        replace: 'return 1',
      },
    ],
    breaks: ['exclusion'],
    schedule: { calls: [[call(100, 400), call(300, 400)], [], []], faults: [] },
  },
  {
    name: 'tokens restart at one when the fence key is lost',
    edits: [
      {
        file: 'redis/scripts/generated.js',
        find: 'local token = nowText',
        replace: "local token = tostring((call('GET', fenceKey) or 0) + 1)\ntokenFloor = '0'",
      },
    ],
    breaks: ['tokens'],
    schedule: {
      calls: [[call(0, 10), call(50, 10), call(100, 10)], [call(900, 10)], []],
      faults: [fault('loseData', 600, 10, 0)],
    },
  },
  {
    name: 'deadlines are not checked',
    edits: [
      {
        file: 'time/lease-clock.js',
        find: 'this.deadlineAt = grant.deadlineAt',
        replace: 'this.deadlineAt = Infinity',
      },
    ],
    breaks: ['exclusion'],
    // P1 cannot renew, and works on beyond its lease.
    schedule: {
      calls: [[warmUp, call(300, 1500)], [warmUp, call(500, 600)], []],
      faults: [fault('blackHole', 450, 1300, P1)],
    },
  },
  {
    name: 'the lease is set after the acquisition',
    edits: [
      {
        file: 'redis/scripts/generated.js',
        find: "call('HSET', lockKey, newHolder, '1')\ncall('PEXPIRE', lockKey, newLeaseMs)",
        replace: "call('HSET', lockKey, newHolder, '1')",
      },
    ],
    breaks: ['leftovers'],
    // P1 dies while it holds the lock, which then never becomes free.
    schedule: { calls: [[call(0, 1000)], [], []], faults: [fault('killProcess', 400, 10, P1)] },
  },
  {
    name: 'no owner is abandoned',
    edits: [
      {
        file: 'holding/abandonment.js',
        find: 'return this.#release(release);',
        replace: 'return Promise.resolve();',
      },
    ],
    breaks: ['leftovers'],
    // P1 gives up while the reply that grants it the lock is still in flight.
    schedule: {
      calls: [[warmUp, call(450, 0, { leaseMs: 60_000, abortAfterMs: 100 })], [], []],
      faults: [fault('blackHoleToClient', 400, 300, P1)],
    },
  },
  {
    name: 'grant notifications are ignored',
    edits: [
      {
        file: 'redis/notifications.js',
        find: 'const notice = readNotice(message);',
        replace: "const notice = readNotice(message); if (notice?.kind === 'granted') return;",
      },
    ],
    breaks: ['progress'],
    // All get in, but each only at a refresh.
    schedule: {
      calls: [
        [warmUp, call(300, 200), call(350, 20), call(353, 20)],
        [warmUp, call(310, 20), call(320, 20), call(330, 20)],
        [warmUp, call(340, 20), call(345, 20)],
      ],
      faults: [],
    },
  },
  {
    name: 'the watchdog never renews',
    edits: [
      {
        file: 'holding/proven-hold.js',
        find: 'get renewEveryMs() {',
        replace: 'get renewEveryMs() { return null;',
      },
    ],
    breaks: ['losses'],
    schedule: { calls: [[warmUp, call(300, 1_200)], [], []], faults: [] },
  },
  {
    name: 'signals never abort',
    edits: [{ file: 'objects/lease-entry.js', find: 'abort(error) {', replace: 'abort(error) { return;' }],
    breaks: ['losses'],
    // P1 is cut off for longer than its lease, and checks isHeld.
    schedule: {
      calls: [[warmUp, call(300, 1_500)], [], []],
      faults: [fault('blackHole', 450, 1_300, P1)],
    },
  },
  {
    name: 'an outage ends an unlimited wait',
    edits: [
      {
        file: 'waiting/store-wait.js',
        find: 'if (!(error instanceof UnavailableError) || this.options.waitMs === 0) {',
        replace: 'if (true) {',
      },
    ],
    breaks: ['progress'],
    schedule: { calls: [[warmUp, call(500, 0)], [], []], faults: [fault('blackHole', 400, 600, P1)] },
  },
  {
    name: 'withLock does not report a loss',
    edits: [
      { file: 'objects/use-lease.js', find: 'throw lostWithResult(error, result);', replace: 'return;' },
    ],
    breaks: ['losses'],
    schedule: { calls: [[warmUp, call(300, 400, { leaseMs: 150 })], [], []], faults: [] },
  },
  {
    name: 'the signal of a wait is ignored',
    edits: [
      {
        file: 'waiting/wait.js',
        find: 'onAbort(signal, ',
        replace: '(() => () => undefined)(signal, ',
      },
    ],
    breaks: ['progress'],
    // P2 waits for as long as P1 works.
    schedule: {
      calls: [[warmUp, call(300, 2_600)], [warmUp, call(500, 0, { abortAfterMs: 50 })], []],
      faults: [],
    },
  },
]
