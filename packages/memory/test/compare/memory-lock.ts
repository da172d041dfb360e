import { nextToken, type Notice, type StepContext } from '../../src/hand-off.js'
import { freeLock, settle, type LockState } from '../../src/lock-state.js'
import * as steps from '../../src/steps.js'
import { msUntil } from '../../src/waiting-state.js'
import { describeRefresh, TokenRanks, type Observation } from './observation.js'
import type { Step } from './step.js'

/** One lock of the pure state machine, and what it shows after each step. */
export class MemoryLock {
  readonly #state: LockState = freeLock()
  readonly #tokens = new TokenRanks()
  readonly #deaf = new Set<string>()
  #notices: Notice[] = []
  #skipped = 0
  #nowUs = Date.now() * 1_000
  readonly #wastesTokens: boolean

  /** @param wastesTokens - whether the other store draws a token for a waiter whose client is not subscribed, as Redis does */
  constructor({ wastesTokens = true } = {}) {
    this.#wastesTokens = wastesTokens
  }

  /** @param queueMs - how long the queue lives on Redis: longer than here if it was empty while waiters were skipped */
  run(step: Step, queueMs = 0): Observation {
    this.#notices = []
    this.#skipped = 0
    // Two steps of one microsecond are possible here and not on a server.
    this.#nowUs += 1_000
    settle(this.#state, this.#nowUs)
    const reply = this.#reply(step)
    if (this.#skipped > 0)
      this.#state.queueUntilUs = Math.max(this.#state.queueUntilUs, this.#nowUs + queueMs * 1_000)
    settle(this.#state, this.#nowUs)
    return this.#observe(reply)
  }

  #reply(step: Step): (string | number)[] {
    const state = this.#state
    switch (step.kind) {
      case 'acquire': {
        const reply = steps.acquire(
          state,
          { ...step, proof: 'p', wantsToken: true },
          this.#context(step.tokenFloor),
        )
        // On Redis a re-entry is not told its token.
        if (reply.kind === 'held' && step.count > 1) return ['held']
        if (reply.kind === 'held') return ['held', this.#tokens.rankOf(reply.token)]
        if (reply.kind === 'busy') return ['busy', reply.holder, reply.position]
        return [reply.kind]
      }
      case 'release':
        return [steps.release(state, step, this.#context(step.tokenFloor)).kind]
      case 'force':
        return [steps.force(state, step.owner, this.#context(step.tokenFloor)).kind]
      case 'renew':
        return [steps.renew(state, step.owner, step.leaseMs, this.#nowUs)]
      case 'refresh':
        return describeRefresh(steps.refresh(state, step.owner, step.entryTtlMs, this.#nowUs))
      case 'inspect': {
        const { owner, count, token, waiterCount, waiters } = steps.inspect(state, step.limit, this.#nowUs)
        const listed = waiters.map((waiter) => `${waiter.owner}${waiter.aliveMs > 0 ? '' : ' stale'}`)
        return [owner, count, this.#tokens.rankOf(token), waiterCount, ...listed]
      }
      case 'subscribe':
        this.#deaf.delete(step.owner)
        return []
      case 'unsubscribe':
        this.#deaf.add(step.owner)
        return []
      case 'pass':
        this.#nowUs += step.ms * 1_000
        return []
    }
  }

  #context(tokenFloor: number): StepContext {
    const context: StepContext = {
      nowUs: this.#nowUs,
      tokenFloor,
      isSubscribed: (owner) => {
        if (!this.#deaf.has(owner)) return true
        this.#skipped += 1
        // Redis learns that by publishing a grant. It undoes the grant, and the token stays unused.
        if (this.#wastesTokens) {
          nextToken(this.#state, this.#state.queue.get(owner)?.grantLeaseMs ?? 0, context)
        }
        return false
      },
      notify: (notice) => this.#notices.push(notice),
    }
    return context
  }

  #observe(reply: (string | number)[]): Observation {
    const { hold, queue, queueUntilUs, tombstones, fence } = this.#state
    const ttlMs: Record<string, number> = {}
    const until = (name: string, untilUs: number): void => {
      ttlMs[name] = msUntil(untilUs, this.#nowUs)
    }
    if (hold) until('the hold', hold.untilUs)
    if (queue.size > 0) until('the queue', queueUntilUs)
    for (const [owner, { aliveUntilUs }] of queue) {
      if (aliveUntilUs > this.#nowUs) until(`the queue entry of ${owner}`, aliveUntilUs)
    }
    const live = [...tombstones].filter(([, untilUs]) => untilUs > this.#nowUs)
    for (const [owner, untilUs] of live) until(`the tombstone of ${owner}`, untilUs)
    if (fence) until('the fence', fence.untilUs)
    // A notification to a client that is not subscribed goes nowhere.
    const heard = this.#notices.filter(({ owner }) => !this.#deaf.has(owner))
    return {
      reply,
      notices: heard.map((notice) =>
        notice.kind === 'revoked'
          ? `revoked ${notice.owner}`
          : `granted ${notice.owner} ${this.#tokens.rankOf(notice.token)} ${notice.leaseMs}`,
      ),
      hold: hold ? `${hold.owner} ${hold.count}` : '',
      queue: [...queue].map(([owner, { grantLeaseMs }]) => `${owner} ${grantLeaseMs}`),
      tombstones: live.map(([owner]) => owner).sort(),
      token: this.#tokens.rankOf(fence?.token ?? 0),
      ttlMs,
    }
  }
}
