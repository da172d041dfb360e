import type { PlannedCall } from '@holdfast/chaos'
import { handOverMistakes } from './hand-over-mistakes.js'
import { mistakesIn, type Mistake } from './mistake.js'
import { redisMistakes } from './redis-mistakes.js'
import type { SimSchedule } from './play.js'

const call = (startMs: number, workMs: number, more: Partial<PlannedCall> = {}): PlannedCall => ({
  ...{
    startMs,
    workMs,
    lock: 0,
    style: 'withLock',
    waitMs: null,
    leaseMs: null,
    nested: 0,
    abortAfterMs: null,
  },
  ...more,
})

/** The first process gives up while the reply that grants what it wants is under way, and with a lease that outlasts it all. */
const givesUp: SimSchedule = {
  calls: [[call(50, 0, { leaseMs: 60_000, abortAfterMs: 100 })], [], []],
  faults: [{ name: 'blackHoleToClient', atMs: 40, forMs: 200, target: 0 }],
}

const inClient = mistakesIn('core', 'memory', [
  [
    'the deadline counts from the reply',
    'lock',
    135,
    ['exclusion'],
    [
      'time/time.js',
      'deadlineOfReply = (sentAt, leaseMs, marginMs) => sentAt +',
      'deadlineOfReply = (sentAt, leaseMs, marginMs) => performance.now() +',
    ],
  ],
  [
    'all tasks of a process are one owner',
    'lock',
    1,
    ['exclusion'],
    ['ownership/owners.js', 'return ++this.#last', 'return 1'],
  ],
  [
    'deadlines are not checked',
    'lock',
    1,
    ['exclusion'],
    ['time/time.js', 'this.deadlineAt = grant.deadlineAt', 'this.deadlineAt = Infinity'],
  ],
  [
    'the watchdog never renews',
    'lock',
    32,
    ['losses'],
    ['holding/hold.js', 'get renewEveryMs() {', 'get renewEveryMs() { return null;'],
  ],
  [
    'signals never abort',
    'lock',
    1,
    ['losses'],
    ['ownership/possession.js', 'abort(error) {', 'abort(error) { return;'],
  ],
  [
    'an outage ends an unlimited wait',
    'lock',
    18,
    ['progress'],
    [
      'waiting/wait.js',
      'if (!(error instanceof UnavailableError) || this.options.waitMs === 0) {',
      'if (true) {',
    ],
  ],
  [
    'withLock does not report a loss',
    'lock',
    8,
    ['losses'],
    ['objects/entrance.js', 'throw lostWithResult(error, result);', 'return;'],
  ],
  [
    'the signal of a wait is ignored',
    'lock',
    1,
    ['progress'],
    ['waiting/wait.js', 'this.#stopListening = onAbort(signal, ', '(() => undefined)(signal, '],
  ],
  [
    'the limit of a wait is ignored',
    'lock',
    10,
    ['progress'],
    ['waiting/wait.js', 'if (waitMs > 0 && waitMs !== Infinity)', 'if (false)'],
  ],
  [
    'grant notifications are ignored',
    'lock',
    6,
    ['progress'],
    ['waiting/acquisition.js', 'granted(notice) {', 'granted(notice) { return true;'],
  ],
  [
    'a renewal does not extend the deadline',
    'lock',
    15,
    ['losses'],
    [
      'time/time.js',
      'this.deadlineAt = Math.max(this.deadlineAt, deadlineOfReply(startedAt, leaseMs, this.#marginMs))',
      'void 0',
    ],
  ],
  [
    'a waiter that missed a notification waits on',
    'lock',
    261,
    ['progress'],
    ['waiting/wait.js', 'waiters.noteTtl(this.address, ttlMs);', 'void 0;'],
    ['waiting/waiter-table.js', 'wakeQueued() {', 'wakeQueued() { return;'],
    ['waiting/waiter-table.js', 'wakeFirst(id) {', 'wakeFirst(id) { return;'],
  ],
  [
    'a late notification is believed',
    'lock',
    // The second process is notified after its grant has expired and the third one is in.
    {
      calls: [[call(10, 290)], [call(50, 300, { leaseMs: 150 })], [call(200, 600)]],
      faults: [{ name: 'blackHoleToClient', atMs: 250, forMs: 240, target: 1 }],
    },
    ['exclusion'],
    [
      'waiting/acquisition.js',
      'if (dated && requestedAt && isEnough && this.#isAhead(dated.deadlineAt, requestedAt, leaseMs)) {',
      `if (requestedAt) {
        const grantedAt = performance.now();
        this.#enter(notice.token, requestedAt, notice.leaseMs, { grantedAt, deadlineAt: grantedAt + notice.leaseMs });
      } else if (dated) {`,
    ],
  ],
  [
    'no owner is abandoned',
    'lock',
    givesUp,
    ['leftovers'],
    ['holding/release.js', 'await sendRelease(', 'await (() => undefined)('],
  ],
  [
    'no owner of permits is abandoned',
    'semaphore',
    { ...givesUp, object: 'semaphore' },
    ['leftovers'],
    ['holding/release.js', 'await sendRelease(', 'await (() => undefined)('],
  ],
  [
    'a downgrade is not sent',
    'read-write-lock',
    1,
    ['counts', 'progress'],
    [
      'holding/hold.js',
      '!this.#countsEntries && release3.count === this.#target.permits',
      '!this.#countsEntries && release3.count > 0',
    ],
  ],
  [
    'a reader becomes a writer beside other readers',
    'read-write-lock',
    7,
    ['exclusion'],
    ['holding/hold.js', 'if (target.permits > this.value)', 'if (false)'],
  ],
  [
    'a latch opens unnoticed',
    'latch',
    1,
    ['latches'],
    ['waiting/waiter-table.js', 'opened(id, generation) {', 'opened(id, generation) { return;'],
    ['latch/latch.js', 'for (const waiter of waiters)\n      waiter.wake();', 'void 0;'],
  ],
  [
    'a multi lock takes its members in the given order',
    'multi-lock',
    63,
    ['progress'],
    ['multi/member.js', '.sort((a, b) => a.slot - b.slot || (a.id < b.id ? -1 : 1))', ''],
    ['multi/member.js', 'client.steps.acquireMany !== void 0', 'false'],
  ],
  [
    'a multi lock outlives the loss of a member',
    'multi-lock',
    3,
    ['together'],
    ['multi/member.js', 'if (this.#state !== "live")\n      return;', 'return;'],
    ['multi/member.js', 'this.loss === void 0 && ', ''],
    [
      'multi/member.js',
      'this.members.every(({ hold }) => hold.isHeld)',
      'this.members.some(({ hold }) => hold.isHeld)',
    ],
    ['multi/member.js', 'Math.min(...this.members.map', 'Math.max(...this.members.map'],
  ],
  [
    'one master is a majority',
    'quorum',
    1,
    ['exclusion', 'tokens'],
    ['quorum/ballot.js', 'quorumOf = (masters) => Math.floor(masters / 2) + 1', 'quorumOf = () => 1'],
  ],
  [
    'masters that have just started have votes',
    'quorum',
    // The first process has the votes of the second and the third master. While it is frozen, the second one forgets it.
    {
      object: 'quorum',
      calls: [[call(20, 1_500)], [call(500, 100)], []],
      faults: [
        { name: 'blackHole', atMs: 0, forMs: 600, target: 0 },
        { name: 'freezeProcess', atMs: 450, forMs: 700, target: 0 },
        { name: 'loseData', atMs: 460, forMs: 10, target: 1 },
      ],
    },
    ['exclusion', 'tokens'],
    ['quorum/master.js', 'if (youngMs > 0)', 'if (false)'],
  ],
])

const inSteps = mistakesIn('documents', 'memory', [
  [
    'a release does not check the owner',
    'lock',
    1,
    ['exclusion', 'losses'],
    ['steps/lock-steps.js', 'if (isMine)\n    state.hold = null;', 'state.hold = null;'],
  ],
  [
    'the last in the queue is served first',
    'lock',
    7,
    ['order'],
    ['steps/hand-off.js', 'of state.queue) {', 'of [...state.queue].reverse()) {'],
  ],
  [
    'a newcomer passes those that wait',
    'lock',
    162,
    ['order'],
    [
      'steps/lock-steps.js',
      'grantToFirst(state, context, owner);\n  if (state.hold)',
      'void 0;\n  if (state.hold)',
    ],
  ],
  [
    'a released lock is not handed on',
    'lock',
    7,
    ['progress', 'order'],
    ['steps/lock-steps.js', 'if (!state.hold)\n    grantToFirst(state, context);', ''],
  ],
  [
    'tokens are counted from one',
    'lock',
    5,
    ['tokens'],
    [
      'steps/hand-off.js',
      'Math.max(nowUs, floor + 1, (state.fence?.token ?? 0) + 1)',
      '(state.fence?.token ?? 0) + 1',
    ],
  ],
  [
    'a token is drawn twice',
    'lock',
    1,
    ['tokens'],
    [
      'steps/hand-off.js',
      'Math.max(nowUs, floor + 1, (state.fence?.token ?? 0) + 1)',
      'Math.max(1e15, state.fence?.token ?? 0)',
    ],
  ],
  [
    'a hold has no lease',
    'lock',
    1,
    ['leftovers', 'progress'],
    ['steps/lock-steps.js', 'untilUs: context.nowUs + leaseMs * 1e3 };', 'untilUs: Infinity };'],
  ],
  [
    'a renewal does not extend the lease',
    'lock',
    32,
    ['losses', 'exclusion'],
    ['steps/lock-steps.js', 'extend(hold, leaseMs, nowUs);\n  return "renewed"', 'return "renewed"'],
  ],
  [
    'a repeated re-entry counts twice',
    'lock',
    124,
    ['counts', 'leftovers', 'progress'],
    [
      'steps/lock-steps.js',
      'if (count > 1)\n      state.hold.count = count;',
      'if (count > 1)\n      state.hold.count += 1;',
    ],
    ['steps/lock-steps.js', 'if (isMine)\n      hold.count = count;', 'if (isMine)\n      hold.count -= 1;'],
    [
      'steps/lock-steps.js',
      'if (isMine)\n    state.hold = null;',
      'if (isMine && --hold.count <= 0)\n    state.hold = null;',
    ],
  ],
  [
    'readers pass a waiting writer',
    'read-write-lock',
    3,
    ['order'],
    ['steps/shared-steps.js', 'return "blocks";', 'return "passed over";'],
  ],
  [
    'a request that fits is not stopped by one that waits for more',
    'semaphore',
    3,
    ['order'],
    ['steps/shared-steps.js', 'return "blocks";', 'return "passed over";'],
  ],
  [
    'a partial release gives back all permits',
    'semaphore',
    5,
    ['exclusion', 'losses'],
    ['steps/shared-steps.js', 'hold.permits = Math.min(hold.permits, left)', 'hold.permits = 0'],
  ],
  [
    'a request enters where any permit is free',
    'read-write-lock',
    3,
    ['exclusion'],
    ['steps/shared-steps.js', 'used + want > room', 'used >= room'],
    ['steps/shared-steps.js', 'used + want <= (state.resized', 'used < (state.resized'],
  ],
  [
    'the permits of a hold that has ended are not free',
    'semaphore',
    16,
    ['progress', 'leftovers'],
    ['steps/shared-state.js', 'if (untilUs <= nowUs)\n      state.holds.delete(owner);', 'void untilUs;'],
  ],
  [
    'a semaphore that shrinks admits as many holders as before',
    'semaphore',
    22,
    ['exclusion'],
    ['steps/shared-steps.js', '(state.resized?.size ?? size)', '(size)'],
    ['steps/shared-steps.js', 'const room = state.resized?.size ?? size;', 'const room = size;'],
  ],
  [
    'permits end before their lease',
    'semaphore',
    5,
    ['exclusion', 'losses'],
    ['steps/shared-steps.js', 'untilUs: nowUs + leaseMs * 1e3 });', 'untilUs: nowUs + leaseMs * 500 });'],
  ],
  [
    'a party that counts down twice counts twice',
    'latch',
    15,
    ['latches'],
    ['steps/latch-steps.js', '&& !latch.parties.has(party)', ''],
  ],
  [
    'a latch is open as soon as its count is set',
    'latch',
    1,
    ['latches'],
    ['steps/latch-steps.js', 'if (isOpen(latch) || wasOpened)', 'if (true)'],
  ],
  [
    'a latch opens one party early',
    'latch',
    5,
    ['latches'],
    [
      'steps/latch-steps.js',
      'if (latch.left === 0 && !isOpen(latch)) {',
      'if (latch.left <= 1 && !isOpen(latch)) {\n    latch.left = 0;',
    ],
  ],
])

const inDocuments = mistakesIn('documents', 'documents', [
  [
    'a document is replaced whatever became of it',
    'lock',
    12,
    ['exclusion', 'tokens'],
    [
      'documents.js',
      'await session.replace(key, text2, snapshot.version, keepMs + clock.slackMs, leftMs());',
      'await session.read(key, leftMs()).then(({ version }) => session.replace(key, text2, version, keepMs + clock.slackMs, leftMs()));',
    ],
  ],
  [
    'a conflict counts as done',
    'lock',
    16,
    ['exclusion', 'tokens', 'progress'],
    [
      'documents.js',
      'await session.replace(key, text2, snapshot.version, keepMs + clock.slackMs, leftMs());',
      'await session.replace(key, text2, snapshot.version, keepMs + clock.slackMs, leftMs()) !== void 0;',
    ],
  ],
  [
    'a document is kept for less than its hold',
    'lock',
    3,
    ['exclusion', 'losses'],
    ['documents.js', '.endUs(content) - nowUs) / 1e3)', '.endUs(content) - nowUs) / 4e5)'],
  ],
  [
    'what has ended in a document still counts',
    'lock',
    126,
    ['progress', 'leftovers'],
    ['documents.js', '.settle(content, nowUs);', '.settle;'],
  ],
  [
    'who is let in never claims it',
    'lock',
    37,
    ['progress', 'order'],
    ['acquire.js', 'if (reply4.kind === "held")\n    unclaimed.delete(owner);', ''],
    ['claims.js', 'if (holds2(owner))\n      continue;', ''],
  ],
  [
    'permits of a document are replaced whatever became of it',
    'semaphore',
    49,
    ['exclusion', 'tokens', 'progress'],
    [
      'documents.js',
      'await session.replace(key, text2, snapshot.version, keepMs + clock.slackMs, leftMs());',
      'await session.read(key, leftMs()).then(({ version }) => session.replace(key, text2, version, keepMs + clock.slackMs, leftMs()));',
    ],
  ],
])

const inQueues = mistakesIn('sessions', 'sessions', [
  [
    'the session is claimed for longer than it lives',
    'lock',
    261,
    ['exclusion'],
    ['facts.js', 'sessionMs * (1 - driftShare) - marginMs', 'sessionMs * 2'],
  ],
  [
    'an entry of doubt is not looked for',
    'lock',
    56,
    ['progress', 'leftovers'],
    ['acquire.js', 'place.doubt === void 0 ? null : await store.find(', 'true ? null : await store.find('],
    ['release.js', '(doubt === void 0 ? null : await store.find(', '(true ? null : await store.find('],
  ],
  [
    'whoever has an entry holds',
    'lock',
    1,
    ['exclusion'],
    ['turns.js', 'if (!holders.some(({ key }) => key === entry.key))\n      return false;', ''],
  ],
  [
    'who waits is never told',
    'lock',
    6,
    ['progress'],
    ['turns.js', 'host.granted(address2.id, owner, { proof, token, leaseMs: grantLeaseMs, grantedAt });', ''],
  ],
  [
    'the next of this client succeeds whoever left',
    'lock',
    7,
    ['exclusion'],
    ['turns.js', 'if (move.kind === "left" && move.entry.key === entry.key)', 'if (true)'],
  ],
  [
    'an entry of a session that is over still holds',
    'lock',
    261,
    ['exclusion', 'progress'],
    ['places.js', 'ended(session) {', 'ended(session) { return;'],
    ['facts.js', 'return this.#store.provenAt + claimedMs(this.#store);', 'return Infinity;'],
    ['renew.js', 'if (there.has(entry)) {', 'if (true) {'],
  ],
  [
    'readers of a queue pass a writer',
    'read-write-lock',
    15,
    ['order', 'exclusion'],
    [
      'shared.js',
      'isBlocked ||= used > all;',
      'isBlocked = used > all;\n    if (isBlocked) used -= entry.permits;',
    ],
  ],
  [
    'a writer of a queue enters beside readers',
    'read-write-lock',
    5,
    ['exclusion'],
    ['shared.js', 'isBlocked ||= used > all;', 'isBlocked ||= used - entry.permits >= all;'],
  ],
  [
    'an entry that gives back permits keeps them',
    'semaphore',
    1,
    ['counts', 'progress'],
    ['release.js', 'entry.permits <= count ? entry : await', 'true ? entry : await'],
  ],
  [
    'holders are not known when a semaphore is resized',
    'semaphore',
    43,
    ['exclusion'],
    ['shared.js', 'const kept = new Set(inForce?.holders);', 'const kept = new Set();'],
  ],
])

/** All of them: each must be caught. */
export const mistakes: readonly Mistake[] = [
  ...inClient,
  ...inSteps,
  ...inDocuments,
  ...inQueues,
  ...redisMistakes,
  ...handOverMistakes,
]
