import type { Notice as MemoryNotice, StepContext } from '@holdfast/stores/documents/steps'
import { nothing, type Contents } from '../contents.js'
import { clockStartUs, times } from '../explore/job.js'
import type { ExploredStore, Way } from '../explore/way.js'
import { done, type Notice, type Reply, type Step } from '../step.js'
import type { Ran } from '../step-store.js'
import type { Kind, Leftover } from './kind.js'

export interface MemoryStoreOptions {
  /** Owners of which something may be left over. */
  readonly owners?: readonly string[]
}

/** One object of the reference: the pure steps of the memory engine, on a clock that stands still between steps. */
export class MemoryStore<State> implements ExploredStore<Leftover> {
  readonly #kind: Kind<State>
  readonly #options: MemoryStoreOptions
  #state: State
  #unsubscribed = new Set<string>()
  #nowUs = clockStartUs

  constructor(kind: Kind<State>, options: MemoryStoreOptions = {}) {
    this.#kind = kind
    this.#options = options
    this.#state = kind.make()
  }

  get ways(): readonly Way<Leftover>[] {
    return this.#kind.ways
  }

  run(step: Step): Promise<Ran> {
    const notices: MemoryNotice[] = []
    const floor = 'tokenFloor' in step ? step.tokenFloor : 0
    const reply = this.take((state, context) => this.#run(step, state, context), floor, notices)
    return Promise.resolve({ reply, notices: notices.filter(this.#isReceived).map(noticeOf) })
  }

  /** Takes any step, or a part of one on several objects. */
  take<T>(step: (state: State, context: StepContext) => T, tokenFloor = 0, notices: MemoryNotice[] = []): T {
    // Two steps of one microsecond are possible here and not on a server.
    this.#nowUs += 1_000
    this.#kind.settle(this.#state, this.#nowUs)
    const context: StepContext = {
      nowUs: this.#nowUs,
      tokenFloor,
      isSubscribed: (owner) => !this.#unsubscribed.has(owner),
      notify: (notice) => notices.push(notice),
    }
    return step(this.#state, context)
  }

  read(): Promise<Contents> {
    this.#kind.settle(this.#state, this.#nowUs)
    const unsubscribed = [...this.#unsubscribed].sort()
    return Promise.resolve({ ...nothing, ...this.#kind.read(this.#state, this.#nowUs), unsubscribed })
  }

  restore(contents: Contents, leftover?: Leftover): Promise<void> {
    const overUs = this.#nowUs - times.slackMs * 1_000
    const owners = leftover ? (this.#options.owners ?? []) : []
    this.#state = this.#kind.restore(contents, this.#nowUs, { owners, overUs })
    this.#unsubscribed = new Set(contents.unsubscribed)
    return Promise.resolve()
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  #run(step: Step, state: State, context: StepContext): Reply {
    switch (step.kind) {
      case 'subscribe':
        this.#unsubscribed.delete(step.owner)
        return done
      case 'unsubscribe':
        this.#unsubscribed.add(step.owner)
        return done
      case 'pass':
        this.#nowUs += step.ms * 1_000
        return done
      case 'evict':
        this.#kind.evict(state)
        return done
      case 'sweep':
        return done
      default:
        return this.#kind.step(state, step, context)
    }
  }

  /** A notification to a client that is not subscribed goes nowhere. */
  readonly #isReceived = ({ owner }: MemoryNotice): boolean => !this.#unsubscribed.has(owner)
}

const noticeOf = (notice: MemoryNotice): Notice => {
  if (notice.kind === 'revoked') return notice
  const { kind, owner, token, leaseMs, proof } = notice
  return { kind, owner, token, leaseMs, proof }
}
