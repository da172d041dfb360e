import { call, fault, P1, warmUp, type Variant } from './variant.js'

const scripts = 'redis/scripts/generated.js'

/** As {@link warmUp}, for latches: a wait would last. */
const warmUpLatch = call(0, 0, { lock: 1, step: 'set' })

/** The library with one bug in latches, multi locks or quorum locks. */
export const familyVariants: readonly Variant[] = [
  {
    name: 'a party that counts down twice counts twice',
    edits: [
      {
        file: scripts,
        find: "call('SADD', countedKey, party)",
        replace: "call('SADD', countedKey, party .. left)",
      },
    ],
    breaks: ['latches'],
    schedule: {
      object: 'latch',
      calls: [
        [call(300, 0, { step: 'set', parties: 2 }), call(500, 0, { step: 'countDown', as: 'a' })],
        [warmUpLatch, call(600, 0, { step: 'countDown', as: 'a' })],
        [warmUpLatch, call(400, 0, { step: 'wait', waitMs: 900 })],
      ],
      faults: [],
    },
  },
  {
    name: 'a latch is open as soon as its count is set',
    edits: [
      {
        file: scripts,
        find: 'code, awaited = 2, generation',
        replace: 'code, awaited = 1, generation',
      },
    ],
    breaks: ['latches'],
    schedule: {
      object: 'latch',
      calls: [
        [call(300, 0, { step: 'set', parties: 2 }), call(500, 0, { step: 'countDown', as: 'a' })],
        [warmUpLatch, call(600, 0, { step: 'wait', waitMs: 300 })],
        [],
      ],
      faults: [],
    },
  },
  {
    name: 'a latch opens unnoticed',
    edits: [
      { file: 'redis/notifications.js', find: "case 'open':", replace: "case 'never':" },
      {
        file: 'waiting/refresh-latches.js',
        find: "if (reply?.kind === 'passed')\n            table.opened(address.id, reply.generation);",
        replace: 'return;',
      },
    ],
    breaks: ['latches'],
    schedule: {
      object: 'latch',
      calls: [
        [call(300, 0, { step: 'set', parties: 1 }), call(600, 0, { step: 'countDown', as: 'a' })],
        [warmUpLatch, call(400, 0, { step: 'wait', waitMs: 900 })],
        [],
      ],
      faults: [],
    },
  },
  {
    name: 'a multi lock takes its members in the given order',
    edits: [
      {
        file: 'composing/member-order.js',
        find: '.sort((a, b) => a.slot - b.slot || (a.id < b.id ? -1 : 1))',
        replace: '',
      },
    ],
    breaks: ['progress'],
    // When P3 leaves, P1 has the first lock and waits for the second, and P2 the other way round.
    schedule: {
      object: 'multi-lock',
      calls: [
        [warmUp, call(500, 50, { together: 'in order' })],
        [warmUp, call(600, 50, { together: 'reversed' })],
        [warmUp, call(300, 700)],
      ],
      faults: [],
    },
  },
  {
    name: 'a multi lock outlives the loss of a member',
    edits: [
      {
        file: 'composing/multi-hold.js',
        find: "if (this.#state !== 'live')\n            return;",
        replace: 'return;',
      },
      { file: 'composing/multi-hold.js', find: 'this.loss === undefined && ', replace: '' },
      {
        file: 'composing/multi-hold.js',
        find: 'this.members.every(({ hold }) => hold.isHeld)',
        replace: 'this.members.some(({ hold }) => hold.isHeld)',
      },
      { file: 'composing/multi-hold.js', find: 'Math.min(', replace: 'Math.max(' },
    ],
    breaks: ['together'],
    schedule: {
      object: 'multi-lock',
      calls: [[warmUp, call(300, 900, { together: 'in order' })], [], []],
      faults: [fault('forceUnlock', 700, 10, 0)],
    },
  },
  {
    name: 'one master is a majority',
    edits: [
      {
        file: 'composing/quorum/ballot.js',
        find: 'quorumOf = (masters) => Math.floor(masters / 2) + 1',
        replace: 'quorumOf = () => 1',
      },
    ],
    breaks: ['exclusion'],
    topology: 'independent',
    // The first master forgets P1, and has not been asked to renew by then.
    schedule: {
      object: 'quorum',
      calls: [
        [warmUp, call(900, 800)],
        [warmUp, call(1_020, 100)],
        [warmUp, call(1_040, 100)],
      ],
      faults: [fault('loseData', 1_000, 10, 0)],
    },
  },
  {
    name: 'masters that have just started have votes',
    edits: [
      {
        file: 'composing/quorum/health.js',
        find: 'if (youngMs > 0)',
        replace: 'if (youngMs > Infinity)',
      },
    ],
    breaks: ['exclusion'],
    topology: 'independent',
    // While P1 is frozen, two masters restart without its votes.
    schedule: {
      object: 'quorum',
      calls: [[warmUp, call(900, 1_200)], [warmUp, call(1_260, 100)], []],
      faults: [
        fault('freezeProcess', 1_000, 700, P1),
        fault('restartEmpty', 1_020, 10, 0),
        fault('restartEmpty', 1_030, 10, 1),
      ],
    },
  },
]
