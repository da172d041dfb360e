import { clientOf, type EngineSession, type NotALockReply } from '@holdfast/core/engine'
import { documentEngine } from '@holdfast/stores/documents'
import type { WaitingState } from '@holdfast/stores/documents/steps'
import {
  done,
  nothing,
  refreshed,
  type Contents,
  type ExploredStore,
  type Kind,
  type Leftover,
  type Notice,
  type Ran,
  type Reply,
  type Step,
  type Way,
} from '@holdfast/model'
import type { Claimed } from '../../../src/documents/claims.js'
import { decode, encode } from '../../../src/documents/codec.js'
import type { DocumentKind } from '../../../src/documents/document-kind.js'
import { DocumentTable } from '@holdfast/sim/stores'
import { hostOf } from './open-client.js'

/** One object, and how its document is written. */
export interface Stepped<State, Written> {
  readonly object: 'lock' | 'semaphore'
  readonly kind: Kind<State>
  readonly documents: DocumentKind<Claimed<State>, Written>
}

const key = (object: string): string => `${object}:x`

/** An hour is nothing here: no waiter is taken for dead. */
const pollMs = [1, 1_000_000_000] as const

/** One object in a store of documents, on which each step is taken by a session of the engine. */
export class DocumentStepStore<State extends WaitingState, Written> implements ExploredStore<Leftover> {
  readonly #stepped: Stepped<State, Written>
  readonly #owners: readonly string[]
  readonly #table = new DocumentTable({ pollMs })
  #last: Promise<unknown> = Promise.resolve()

  /** @param owners - of which something may be left over */
  constructor(stepped: Stepped<State, Written>, owners: readonly string[] = []) {
    this.#stepped = stepped
    this.#owners = owners
  }

  get ways(): readonly Way<Leftover>[] {
    return this.#stepped.kind.ways
  }

  run(step: Step): Promise<Ran> {
    return this.#afterwards(() => this.#run(step))
  }

  read(): Promise<Contents> {
    return this.#afterwards(() => ({ ...nothing, ...this.#contents() }))
  }

  restore(contents: Contents, leftover?: Leftover): Promise<void> {
    return this.#afterwards(() => {
      this.#table.offsetMs = 0
      const nowUs = this.#nowUs()
      const owners = leftover ? this.#owners : []
      const state = this.#stepped.kind.restore(contents, nowUs, { owners, overUs: nowUs - 1_800_000_000 })
      this.#write({ state, unclaimed: new Set() })
    })
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  async #run(step: Step): Promise<Ran> {
    switch (step.kind) {
      case 'subscribe':
      case 'unsubscribe':
      case 'sweep':
        return { reply: done, notices: [] }
      case 'pass':
        this.#table.offsetMs += step.ms
        return { reply: done, notices: [] }
      case 'evict': {
        const content = this.#content()
        this.#stepped.kind.evict(content.state)
        this.#write(content)
        return { reply: done, notices: [] }
      }
      default: {
        const before = this.#content()
        const unnoticed = new Set(before.unclaimed)
        const reply = await this.#take(step)
        return { reply: shown(reply), notices: this.#noticesOf(step, reply, before.state, unnoticed) }
      }
    }
  }

  async #take(
    step: Exclude<Step, { kind: 'subscribe' | 'unsubscribe' | 'sweep' | 'pass' | 'evict' }>,
  ): Promise<Reply | NotALockReply> {
    const { object } = this.#stepped
    const client = 'owner' in step ? clientOf(step.owner) : 'operator'
    const session: EngineSession = documentEngine(this.#table).open(hostOf(client))
    const { steps } = session
    const address = session.names.locate('x', object)
    if ('tokenFloor' in step) steps.noteToken?.(address, step.tokenFloor)
    const timeoutMs = 60_000
    try {
      switch (step.kind) {
        case 'acquire': {
          const reply = await steps.acquire(address, { ...step, wantsToken: true }, timeoutMs)
          // A request that changes nothing leaves the life of its entry to the next refresh.
          const { owner, entryTtlMs } = step
          if (reply.kind === 'busy' && entryTtlMs > 0) await steps.refresh([{ address, owner, entryTtlMs }])
          return reply
        }
        case 'release':
          return await steps.release(address, step, timeoutMs)
        case 'force':
          return await steps.force(address, step.owner)
        case 'renew': {
          const [kind = 'no-reply'] = await steps.renew([{ ...step, address }], timeoutMs)
          return { kind }
        }
        case 'refresh': {
          const [reply] = await steps.refresh([{ ...step, address }])
          return reply ? refreshed(reply) : done
        }
        case 'resize':
          return (await steps.resize?.(address, step, timeoutMs)) ?? done
        case 'inspect':
          return await steps.inspect(address, step.limit)
      }
    } finally {
      await session.close()
    }
  }

  /**
   * Who was granted it is in the document, and who was evicted in the reply. A first waiter looks again before long, in whichever client it
   * is, so only its own client tells it that a released lock stays held.
   */
  #noticesOf(
    step: Step,
    { kind }: { readonly kind: string },
    before: State,
    unnoticed: ReadonlySet<string>,
  ): Notice[] {
    const { unclaimed } = this.#content()
    const { holds, token } = this.#contents()
    const granted = [...unclaimed].filter((owner) => !unnoticed.has(owner) || step.kind === 'pass')
    const notices = granted.map((owner): Notice => {
      const { grantLeaseMs: leaseMs = 0, proof = '' } = before.queue.get(owner) ?? {}
      const held = holds.find((hold) => hold.owner === owner)
      return { kind: 'granted', owner, token: held?.token ?? token, leaseMs, proof }
    })
    if (step.kind === 'force' && kind === 'released')
      return [{ kind: 'revoked', owner: step.owner }, ...notices]
    const { holds: held } = this.#stepped.kind.read(before, this.#nowUs())
    const wasHeldBy = (owner: string): boolean => held.some((hold) => hold.owner === owner && hold.leftMs > 0)
    const isKept =
      step.kind === 'release' && step.count === 0 && step.keepMs !== undefined && wasHeldBy(step.owner)
    const isTakenOver =
      step.kind === 'acquire' && kind === 'held' && step.heir !== undefined && wasHeldBy(step.heir)
    const [first] = isKept || isTakenOver ? this.#content().state.queue : []
    const asksAgain = first !== undefined && first[1].aliveUntilUs > this.#nowUs()
    return asksAgain ? [{ kind: 'revoked', owner: first[0] }, ...notices] : notices
  }

  #contents(): Omit<Contents, 'unsubscribed'> {
    const { kind, documents } = this.#stepped
    const content = this.#content()
    const nowUs = this.#nowUs()
    documents.settle(content, nowUs)
    return kind.read(content.state, nowUs)
  }

  #nowUs(): number {
    return Math.floor(this.#table.trueMs * 1_000)
  }

  #content(): Claimed<State> {
    const { object, documents } = this.#stepped
    const text = this.#table.rows.get(key(object))?.text ?? ''
    const decoded = decode(documents, key(object), text)
    if (decoded.kind === 'not-a-lock') throw new Error(decoded.reason)
    return decoded.content
  }

  #write(content: Claimed<State>): void {
    const { object, documents } = this.#stepped
    this.#table.put(key(object), encode(documents, content))
  }

  #afterwards<T>(next: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(next)
    this.#last = result.catch(() => undefined)
    return result
  }
}

/** When to look again is no part of what a step does. */
function shown(reply: Reply | NotALockReply): Reply {
  if (reply.kind !== 'busy') return reply
  const { againMs: _, ...rest } = reply
  return rest
}
