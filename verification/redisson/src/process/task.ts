import { booleanIn, numberIn, stringIn, type Fields } from './fields.js'

/** Which of a library's locks a call is about. */
export interface LockTarget {
  /** @defaultValue 'lock' */
  readonly object?: 'read-lock' | 'write-lock' | 'multi-lock' | 'red-lock'
  /** The members of a multi lock, in the order in which Java is to lock them; `name#read`, `name#write`, `name#fenced` for other objects. */
  readonly locks?: readonly string[]
}

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

/** A successful acquisition. Instants are on the machine's monotonic clock. */
export interface Entry {
  readonly owner: string
  readonly requestedAtMs: number
  readonly enteredAtMs: number
  /** `null` without `fenced`. */
  readonly token: number | null
}

export interface Release {
  /** Just before the unlock was sent. */
  readonly leftAtMs: number
  readonly releasedAtMs: number
}

/** The state of a lock as the library reports it. */
export interface LockState {
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
    const reply = await this.#call({ op: 'tryLock', lock, ...options })
    return booleanIn(reply, 'entered') ? entryOf(reply) : null
  }

  async unlock(lock: string): Promise<Release> {
    const reply = await this.#call({ op: 'unlock', lock })
    return { leftAtMs: numberIn(reply, 'leftAtMs'), releasedAtMs: numberIn(reply, 'releasedAtMs') }
  }

  /** Whether there was a holder to evict. */
  async forceUnlock(lock: string): Promise<boolean> {
    return booleanIn(await this.#call({ op: 'forceUnlock', lock }), 'forced')
  }

  async inspect(lock: string): Promise<LockState> {
    const reply = await this.#call({ op: 'look', lock })
    return {
      isLocked: booleanIn(reply, 'isLocked'),
      isHeld: booleanIn(reply, 'isHeld'),
      holdCount: numberIn(reply, 'holdCount'),
      remainingMs: numberIn(reply, 'remainingMs'),
    }
  }
}

function entryOf(reply: Fields): Entry {
  return {
    owner: stringIn(reply, 'owner'),
    requestedAtMs: numberIn(reply, 'askedAtMs'),
    enteredAtMs: numberIn(reply, 'enteredAtMs'),
    token: reply['token'] === undefined ? null : numberIn(reply, 'token'),
  }
}
