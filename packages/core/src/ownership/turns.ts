import { HoldfastError } from '../errors/errors.js'

/**
 * A callback of `withLock` or `run` in one hold.
 *
 * | State   | true in it                                                  | leaves it on                       |
 * | ------- | ----------------------------------------------------------- | ---------------------------------- |
 * | waiting | a sibling that it excludes is not over                      | its turn → begun; given up → over  |
 * | begun   | its callback runs, or is about to                           | end → ended                        |
 * | ended   | its callback has ended, but not all bodies inside           | the last of them over → over       |
 * | over    | the next sibling may begin                                  | -                                  |
 */
export class Body {
  /** The innermost body that ran around it when it was called. */
  readonly parent: Body | undefined
  /** Whether others may run beside it that are shared, too: readers. */
  readonly isShared: boolean
  /** Where it was called; `undefined` for the callback of a `withLock` that made the hold. */
  readonly call: CallSite | undefined
  /** Resolves when its turn comes; `undefined` if it came at once. */
  ready: Promise<void> | undefined
  readonly #turns: Turns
  #state: 'waiting' | 'begun' | 'ended' | 'over' = 'waiting'
  #onBegin: (() => void) | undefined
  #inside: Turns | undefined

  /** @internal Bodies come from `Turns.join`. */
  constructor(turns: Turns, isShared: boolean, call: CallSite | undefined) {
    this.#turns = turns
    this.parent = turns.around
    this.isShared = isShared
    this.call = call
  }

  /** Whether its callback runs, or is about to. */
  get hasBegun(): boolean {
    return this.#state === 'begun'
  }

  /** Among which bodies it takes its turn. */
  get turns(): Turns {
    return this.#turns
  }

  /** Where the bodies inside take turns. */
  get inside(): Turns {
    this.#inside ??= new Turns(this)
    return this.#inside
  }

  /** A body inside that runs now, if any. */
  get runningInside(): Body | undefined {
    return this.#inside?.running
  }

  /** What keeps it waiting: the body whose callback runs now. */
  get blocker(): Body | undefined {
    let body = this.#turns.aheadOf(this)
    while (body && !body.hasBegun) body = body.#inside?.first
    return body
  }

  /** Its callback has ended, or its caller no longer waits. Later calls do nothing. */
  end(): void {
    if (this.#state === 'over') return
    this.#state = 'ended'
    this.settle()
  }

  /** @internal Its turn ends with the last body inside. */
  settle(): void {
    if (this.#state !== 'ended' || (this.#inside && !this.#inside.isIdle)) return
    this.#state = 'over'
    this.#turns.leave(this)
  }

  /** @internal */
  begin(): void {
    if (this.#state !== 'waiting') return
    this.#state = 'begun'
    this.#onBegin?.()
  }

  /** @internal */
  wait(): void {
    this.ready = new Promise((resolve) => (this.#onBegin = resolve))
  }

  /** @internal The hold is over: nothing is left to exclude anyone from. */
  letIn(): void {
    this.begin()
    this.#inside?.letAllIn()
  }
}

/**
 * Bodies that have the same parent, or none, in one hold: they take turns, first come, first served. Each runs inside its parent's
 * turn, so two bodies of one hold run at the same time only if one encloses the other, or if both are shared.
 *
 * An exclusive body inside a shared one also has to wait until the shared one has no others beside it. Two that want this in two
 * shared bodies would wait for each other.
 */
export class Turns {
  readonly around: Body | undefined
  /** Those that have begun come first. */
  #queue: Body[] = []
  #begun = 0
  /** The shared body here inside which exclusive ones wait or run, and those. */
  #claim: { readonly by: Body; readonly bodies: Body[] } | undefined

  constructor(around?: Body) {
    this.around = around
  }

  get isIdle(): boolean {
    return this.#queue.length === 0
  }

  /** The first one whose turn it is. */
  get first(): Body | undefined {
    return this.#begun > 0 ? this.#queue[0] : undefined
  }

  /** One whose callback runs now. */
  get running(): Body | undefined {
    return this.#queue.find(({ hasBegun }) => hasBegun)
  }

  /** `undefined` if it would wait for a body that waits for one around it. */
  join(isShared: boolean, call: CallSite | undefined): Body | undefined {
    const body = new Body(this, isShared, call)
    const shared = sharedAround(body)
    if (shared.some((around) => around.turns.#isClaimedByOther(around))) return undefined
    for (const around of shared) around.turns.#claimFor(around, body)
    // An array that grows by `push` reserves room for 17, and nearly always there is one.
    if (this.isIdle) this.#queue = [body]
    else this.#queue.push(body)
    this.#advance()
    if (!body.hasBegun) body.wait()
    return body
  }

  /** @internal */
  leave(body: Body): void {
    const index = this.#queue.indexOf(body)
    if (index === -1) return
    if (index === 0) this.#queue.shift()
    else this.#queue.splice(index, 1)
    if (index < this.#begun) this.#begun--
    for (const around of sharedAround(body)) around.turns.#unclaim(body)
    this.#advance()
    for (const inside of this.#claim?.bodies ?? []) inside.turns.#advance()
    this.around?.settle()
  }

  /** @internal The one that it waits for. */
  aheadOf(body: Body): Body | undefined {
    const [first] = this.#queue
    if (first !== body) return first
    return sharedAround(body)
      .map((around) => around.turns.#queue.find((other) => other !== around))
      .find((other) => other !== undefined)
  }

  /** Lets in all that wait. */
  letAllIn(): void {
    this.#begun = this.#queue.length
    for (const body of [...this.#queue]) body.letIn()
  }

  #advance(): void {
    for (let next = this.#queue[this.#begun]; next; next = this.#queue[this.#begun]) {
      const isFree = this.#begun === 0 || (next.isShared && this.#queue[0]?.isShared === true)
      if (!isFree || this.#claim) return
      if (sharedAround(next).some((around) => around.turns.#begun > 1)) return
      this.#begun++
      next.begin()
    }
  }

  #isClaimedByOther(body: Body): boolean {
    return this.#claim !== undefined && this.#claim.by !== body
  }

  #claimFor(by: Body, exclusive: Body): void {
    this.#claim ??= { by, bodies: [] }
    this.#claim.bodies.push(exclusive)
  }

  #unclaim(exclusive: Body): void {
    const bodies = this.#claim?.bodies.filter((body) => body !== exclusive) ?? []
    this.#claim = this.#claim && bodies.length > 0 ? { by: this.#claim.by, bodies } : undefined
    this.#advance()
  }
}

/** The shared bodies that an exclusive one must be alone in, up to an exclusive one around them, which is alone already. */
function sharedAround(body: Body): readonly Body[] {
  const shared: Body[] = []
  if (body.isShared) return shared
  for (let around = body.parent; around?.isShared; around = around.parent) shared.push(around)
  return shared
}

/** Where a call came from: made cheaply, put into words only when someone asks. */
export interface CallSite {
  readonly stack?: string
  /** How many frames of this package are above those of the caller. Their names and files may be those of a bundle. */
  readonly ours: number
}

/** @param ours - how many functions of this package the running code is in */
export function callSite(ours: number): CallSite {
  const site: CallSite = { ours }
  Error.captureStackTrace(site, callSite)
  return site
}

/**
 * The frames of the caller. Without those of Node.js, which lie between ours and the caller's if a tick of its queue ran us,
 * and, as far as paths tell, without those of ours between functions of the caller.
 */
export const framesOf = (site: CallSite | undefined): readonly string[] =>
  (site?.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at (?!.*node:)/.test(line))
    .slice(site?.ours)
    .filter((line) => !/[\\/]node_modules[\\/]@holdfast[\\/]/.test(line))
    .map((frame) => frame.trim())

/**
 * Gives an error of ours the stack of the call that it ends. Most are made by a timer or a reply, where the caller is not
 * on the stack. Only code that runs in a reaction of the caller's own promise sees what awaits it.
 *
 * @param signal - of the call; its reason belongs to the code that aborted, and stays as it is
 */
export function withCallerStack(error: unknown, signal: AbortSignal | undefined): unknown {
  const isReason = signal?.aborted === true && signal.reason === error
  if (error instanceof HoldfastError && !isReason) Error.captureStackTrace(error, withCallerStack)
  return error
}

/** For `then`. Without a signal it is always the same function, so that a wait need not keep its own. */
export const rethrowToCaller = (signal: AbortSignal | undefined): ((error: unknown) => never) =>
  signal === undefined
    ? rethrow
    : (error) => {
        throw withCallerStack(error, signal)
      }

function rethrow(error: unknown): never {
  throw withCallerStack(error, undefined)
}
