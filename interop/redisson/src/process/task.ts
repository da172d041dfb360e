import { booleanIn, numberIn, stringIn, type Fields } from './answer.js'

export interface EnterOptions {
  /** A fixed lease, in milliseconds; without it, the library's watchdog renews. */
  readonly leaseMs?: number
  /** With a fencing token. */
  readonly fenced?: boolean
}

export interface TryOptions extends EnterOptions {
  /** @defaultValue one attempt */
  readonly waitMs?: number
}

/** That a task is in. Instants are on the machine's monotonic clock. */
export interface Entry {
  readonly owner: string
  readonly askedAtMs: number
  readonly enteredAtMs: number
  /** `null` without `fenced`. */
  readonly token: number | null
}

export interface Left {
  /** Just before the unlock was sent. */
  readonly leftAtMs: number
  readonly releasedAtMs: number
}

/** What the library answers to questions about a lock. */
export interface Look {
  readonly isLocked: boolean
  /** By this task. */
  readonly isHeld: boolean
  /** Of this task. */
  readonly holdCount: number
  readonly remainingMs: number
}

/** Makes calls one after another, as one thread does. */
export class Task {
  readonly name: string
  readonly #call: (request: Fields) => Promise<Fields>

  constructor(name: string, call: (request: Fields) => Promise<Fields>) {
    this.name = name
    this.#call = call
  }

  async lock(lock: string, options: EnterOptions = {}): Promise<Entry> {
    return entryOf(await this.#call({ op: 'lock', lock, ...options }))
  }

  async tryLock(lock: string, options: TryOptions = {}): Promise<Entry | null> {
    const answer = await this.#call({ op: 'tryLock', lock, ...options })
    return booleanIn(answer, 'entered') ? entryOf(answer) : null
  }

  async unlock(lock: string): Promise<Left> {
    const answer = await this.#call({ op: 'unlock', lock })
    return { leftAtMs: numberIn(answer, 'leftAtMs'), releasedAtMs: numberIn(answer, 'releasedAtMs') }
  }

  /** Whether there was somebody to throw out. */
  async forceUnlock(lock: string): Promise<boolean> {
    return booleanIn(await this.#call({ op: 'forceUnlock', lock }), 'forced')
  }

  async look(lock: string): Promise<Look> {
    const answer = await this.#call({ op: 'look', lock })
    return {
      isLocked: booleanIn(answer, 'isLocked'),
      isHeld: booleanIn(answer, 'isHeld'),
      holdCount: numberIn(answer, 'holdCount'),
      remainingMs: numberIn(answer, 'remainingMs'),
    }
  }
}

function entryOf(answer: Fields): Entry {
  return {
    owner: stringIn(answer, 'owner'),
    askedAtMs: numberIn(answer, 'askedAtMs'),
    enteredAtMs: numberIn(answer, 'enteredAtMs'),
    token: answer['token'] === undefined ? null : numberIn(answer, 'token'),
  }
}
