import { mistakesIn, type Mistake } from './mistake.js'

const hold = 'holding/hold.js'
const scripts = 'redis/scripts/generated.js'
const steps = 'steps/lock-steps.js'

/** Mistakes of locks that are handed over, or kept for a least time. */
export const handOverMistakes: readonly Mistake[] = [
  ...mistakesIn('core', 'memory', [
    [
      'a hand-over is sent as a plain release',
      'hand-over',
      3,
      ['exclusion', 'progress'],
      [hold, 'keepUntil: this.#keepUntil, heir: this.#heir }', 'keepUntil: -Infinity, heir: void 0 }'],
    ],
    ['a hand-over names no heir', 'hand-over', 1, ['progress'], [hold, 'this.#heir = heir;', '']],
    [
      'the least time of a hold is forgotten',
      'hand-over',
      3,
      ['exclusion'],
      [hold, 'if (atLeastMs !== void 0)', 'if (false)'],
    ],
    [
      'a hand-over does not wait for an inner lease that is on its way out',
      'hand-over',
      6,
      ['progress'],
      [
        hold,
        'if (slot.ready && await withTimeout(slot.ready, commandTimeoutMs) === timedOut) {',
        'if (slot.ready) { slot.done(); throw new TypeError(); }\nif (false) {',
      ],
    ],
  ]),
  ...mistakesIn('documents', 'memory', [
    [
      'any ticket is as good as the right one',
      'hand-over',
      1,
      ['exclusion'],
      [steps, 'heir !== void 0 && state.hold?.owner !== heir', 'heir !== void 0 && !state.hold'],
    ],
    [
      'who takes over has the token of the one before',
      'hand-over',
      1,
      ['tokens'],
      [
        steps,
        'askAgain(state, context);\n    return { kind: "held", token: admit(state, owner, leaseMs, context) };',
        'const token = state.fence?.token ?? 0;\n    admit(state, owner, leaseMs, context);\n    state.fence.token = token;\n    return { kind: "held", token };',
      ],
    ],
    [
      'a lock that is kept is free at once',
      'hand-over',
      1,
      ['exclusion'],
      [steps, 'untilUs: nowUs + keepMs * 1e3', 'untilUs: nowUs'],
    ],
  ]),
  ...mistakesIn('core', 'redis', [
    [
      'a script takes over whoever holds the lock',
      'hand-over',
      1,
      ['exclusion'],
      [scripts, 'if holder ~= heir then', "if holder == '' then"],
    ],
    [
      'a script frees the lock that is handed over',
      'hand-over',
      1,
      ['exclusion', 'progress'],
      [scripts, 'if mine and keepMs then', 'if false then'],
    ],
    [
      'a script leaves the heir beside who has taken over',
      'hand-over',
      1,
      ['exclusion', 'counts', 'leftovers'],
      [scripts, "call('HDEL', lockKey, heir)", ''],
    ],
  ]),
]
