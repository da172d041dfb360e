import type { Promised } from '@holdfast/testkit'
import type { PlannedCall, PlannedFault, Schedule } from '../schedule.js'

/** In one file of the built library, this text becomes that wherever it stands. */
export interface Edit {
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** The library with one thing wrong, and a schedule that shows it. */
export interface Variant {
  readonly name: string
  readonly edits: readonly Edit[]
  /** Promises of which at least one is seen to break. */
  readonly breaks: readonly Promised[]
  readonly schedule: Schedule
}

function call(startMs: number, workMs: number, more: Partial<PlannedCall> = {}): PlannedCall {
  return {
    startMs,
    workMs,
    lock: 0,
    style: 'withLock',
    waitMs: null,
    leaseMs: null,
    nested: 0,
    abortAfterMs: null,
    ...more,
  }
}

/** First use asks Redis a few things; with this behind them, processes are quick. */
const warmUp = call(0, 0, { lock: 1 })

function fault(name: PlannedFault['name'], atMs: number, forMs: number, target: number): PlannedFault {
  return { name, atMs, forMs, target }
}

const P1 = 0
const P2 = 1

export const variants: readonly Variant[] = [
  {
    name: 'the count is an increment',
    edits: [
      {
        file: 'redis/scripts/generated.js',
        find: "redis.call('HSET', lockKey, owner, count)\nkeepFor(lockKey, tonumber(leaseMs))",
        replace: "redis.call('HINCRBY', lockKey, owner, 1)\nkeepFor(lockKey, tonumber(leaseMs))",
      },
      {
        file: 'redis/scripts/generated.js',
        find: "if mine then\nredis.call('HSET', lockKey, owner, count)",
        replace: "if mine then\nredis.call('HINCRBY', lockKey, owner, -1)",
      },
      {
        file: 'redis/scripts/generated.js',
        find: "redis.pcall('HDEL', lockKey, owner) == 1",
        replace:
          "redis.call('HEXISTS', lockKey, owner) == 1\nif mine and redis.call('HINCRBY', lockKey, owner, -1) <= 0 then\nredis.call('DEL', lockKey)\nend",
      },
    ],
    breaks: ['leftovers'],
    // The re-entry runs, its reply is lost, and it is sent again. One level too many remains when all have left.
    schedule: {
      calls: [[warmUp, call(400, 400, { nested: 1, leaseMs: 60_000 })], [], []],
      faults: [fault('loseReply', 600, 600, P1)],
    },
  },
  {
    name: 'a release does not ask whose the hold is',
    edits: [
      {
        file: 'redis/scripts/generated.js',
        find: "redis.pcall('HDEL', lockKey, owner) == 1",
        replace: "redis.call('DEL', lockKey) == 1",
      },
    ],
    breaks: ['exclusion'],
    // P2 gives up waiting; what cleans up after it frees the lock of P1; P3 gets in.
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
        file: 'holding/deadline.js',
        find: 'deadlineOfReply = (sentAt, leaseMs, marginMs) => sentAt +',
        replace: 'deadlineOfReply = (sentAt, leaseMs, marginMs) => performance.now() +',
      },
    ],
    breaks: ['exclusion'],
    // The reply to P1 is on its way for half of the lease.
    schedule: {
      calls: [[warmUp, call(420, 600, { leaseMs: 500 })], [warmUp, call(700, 500)], []],
      faults: [fault('blackHoleToClient', 400, 250, P1)],
    },
  },
  {
    name: 'a notice is believed whenever it comes',
    edits: [
      {
        file: 'waiting/acquisition.js',
        find: 'if (dated && requestedAt && isEnough && this.#isAhead(dated.deadlineAt, requestedAt, notice.leaseMs)) {',
        replace: `if (true) {
          const grantedAt = performance.now()
          const deadlineAt = grantedAt + notice.leaseMs
          this.#enter(notice.token, requestedAt, notice.leaseMs, { grantedAt, deadlineAt })
        } else if (dated) {`,
      },
    ],
    breaks: ['exclusion'],
    // P2 is notified of its grant when that has ended, and P3 is in; not so late that P2 had taken the connection for dead.
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
        find: "redis.call('ZRANGE', queueKey, '0', '0')",
        replace: "redis.call('ZREVRANGE', queueKey, '0', '0')",
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
        file: 'client.js',
        find: 'nextOwner: () => ++owners,',
        replace: 'nextOwner: () => 1,',
      },
    ],
    breaks: ['exclusion'],
    schedule: { calls: [[call(100, 400), call(300, 400)], [], []], faults: [] },
  },
  {
    name: 'tokens count from one when the fence is gone',
    edits: [
      {
        file: 'redis/scripts/generated.js',
        find: 'local token, tokenText = nowUs, nowText',
        replace:
          "local token = tonumber(redis.call('GET', fenceKey) or '0') + 1\nlocal tokenText = string.format('%.0f', token)\ntokenFloor = 0",
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
        file: 'holding/lease-clock.js',
        find: 'this.deadlineAt = grant.deadlineAt',
        replace: 'this.deadlineAt = Infinity',
      },
    ],
    breaks: ['exclusion'],
    // P1 cannot renew, and goes on beyond its lease.
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
        find: "redis.call('HSET', lockKey, newHolder, '1')\nredis.call('PEXPIRE', lockKey, newLeaseMs)",
        replace: "redis.call('HSET', lockKey, newHolder, '1')",
      },
    ],
    breaks: ['leftovers'],
    // P1 dies with the lock, which no owner ever gets again.
    schedule: { calls: [[call(0, 1000)], [], []], faults: [fault('killProcess', 400, 10, P1)] },
  },
  {
    name: 'no owner is abandoned',
    edits: [
      {
        file: 'holding/abandonment.js',
        find: 'abandon(address, owner, inDoubt, leaseMs) {',
        replace: 'abandon(address, owner, inDoubt, leaseMs) { return',
      },
    ],
    breaks: ['leftovers'],
    // P1 gives up while the reply is on its way that Redis let it in.
    schedule: {
      calls: [[warmUp, call(450, 0, { leaseMs: 60_000, abortAfterMs: 100 })], [], []],
      faults: [fault('blackHoleToClient', 400, 300, P1)],
    },
  },
  {
    name: 'grants are not listened to',
    edits: [
      {
        file: 'redis/notifications.js',
        find: 'const notice = readNotice(message);',
        replace: "const notice = readNotice(message); if (notice?.kind === 'granted') return;",
      },
    ],
    breaks: ['progress'],
    // All get in, one refresh after the other.
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
    name: 'the watchdog sleeps',
    edits: [
      {
        file: 'holding/hold.js',
        find: 'get renewEveryMs() {',
        replace: 'get renewEveryMs() { return null;',
      },
    ],
    breaks: ['losses'],
    schedule: { calls: [[warmUp, call(300, 1_200)], [], []], faults: [] },
  },
  {
    name: 'signals never abort',
    edits: [{ file: 'objects/lease.js', find: 'abort(error) {', replace: 'abort(error) { return;' }],
    breaks: ['losses'],
    // P1 is cut off for longer than its lease, and looks.
    schedule: {
      calls: [[warmUp, call(300, 1_500)], [], []],
      faults: [fault('blackHole', 450, 1_300, P1)],
    },
  },
  {
    name: 'an outage ends a wait without an end',
    edits: [
      {
        file: 'waiting/acquisition.js',
        find: 'if (!(error instanceof UnavailableError) || this.#options.waitMs === 0) {',
        replace: 'if (true) {',
      },
    ],
    breaks: ['progress'],
    schedule: { calls: [[warmUp, call(500, 0)], [], []], faults: [fault('blackHole', 400, 600, P1)] },
  },
  {
    name: 'withLock does not report a loss',
    edits: [{ file: 'objects/lock.js', find: 'throw lostWithResult(error, result);', replace: 'return;' }],
    breaks: ['losses'],
    schedule: { calls: [[warmUp, call(300, 400, { leaseMs: 150 })], [], []], faults: [] },
  },
  {
    name: 'the signal of a wait is ignored',
    edits: [
      {
        file: 'waiting/acquisition.js',
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
