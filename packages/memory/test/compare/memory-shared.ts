import type { Notice, StepContext } from '../../src/hand-off.js'
import { freeShared, settleShared, type SharedState } from '../../src/shared-state.js'
import * as steps from '../../src/shared-steps.js'
import { msUntil } from '../../src/waiting-state.js'
import { describeRefresh, TokenRanks, type Observation } from './observation.js'
import type { SharedStep } from './shared-step.js'

/** One read/write lock or semaphore of the pure state machine, and what it shows after each step. */
export class MemoryShared {
  readonly #state: SharedState = freeShared()
  readonly #tokens = new TokenRanks()
  readonly #deaf = new Set<string>()
  #notices: Notice[] = []
  #untilChangeMs: number | undefined
  #nowUs = Date.now() * 1_000

  /** @param queueMs - how long the queue lives on Redis: longer than here if it was empty while waiters were passed over */
  run(step: SharedStep, queueMs = 0): Observation {
    this.#notices = []
    this.#untilChangeMs = undefined
    // Two steps of one microsecond are possible here and not on a server.
    this.#nowUs += 1_000
    settleShared(this.#state, this.#nowUs)
    const reply = this.#reply(step)
    if (this.#isAnyPassedOver()) {
      this.#state.queueUntilUs = Math.max(this.#state.queueUntilUs, this.#nowUs + queueMs * 1_000)
    }
    settleShared(this.#state, this.#nowUs)
    return this.#observe(reply)
  }

  #reply(step: SharedStep): (string | number)[] {
    const state = this.#state
    switch (step.kind) {
      case 'acquire': {
        const reply = steps.acquire(
          state,
          { ...step, proof: 'p', wantsToken: true },
          this.#context(step.tokenFloor),
        )
        if (reply.kind === 'held') return ['held', this.#tokens.rankOf(reply.token)]
        if (reply.kind !== 'busy') return [reply.kind]
        this.#untilChangeMs = reply.ttlMs
        return ['busy', reply.holder, reply.position]
      }
      case 'release':
        return [steps.release(state, step, this.#context(step.tokenFloor)).kind]
      case 'force':
        return [steps.force(state, step.owner, this.#context(step.tokenFloor)).kind]
      case 'resize': {
        const { kind, version, size } = steps.resize(state, step, this.#context(step.tokenFloor))
        return [kind, version, size]
      }
      case 'renew':
        return [steps.renew(state, step.owner, step.leaseMs, this.#nowUs)]
      case 'refresh': {
        const reply = steps.refresh(state, step.owner, step.entryTtlMs, this.#nowUs)
        this.#untilChangeMs = reply.ttlMs
        return describeRefresh(reply)
      }
      case 'inspect': {
        const { size, version, used, holderCount, holders, token, waiterCount, waiters } = steps.inspect(
          state,
          step.limit,
          this.#nowUs,
        )
        return [
          size,
          version,
          used,
          holderCount,
          this.#tokens.rankOf(token),
          waiterCount,
          ...holders.map(({ owner, permits }) => `${owner} ${permits}`),
          ...waiters.map(
            ({ owner, permits, aliveMs }) => `${owner} ${permits}${aliveMs > 0 ? '' : ' stale'}`,
          ),
        ]
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
      case 'evict':
        state.holds.clear()
        return []
    }
  }

  #isAnyPassedOver(): boolean {
    const { queue, resized } = this.#state
    return [...queue].some(
      ([owner, { want, size }]) => this.#deaf.has(owner) || want > (resized?.size ?? size),
    )
  }

  #context(tokenFloor: number): StepContext {
    return {
      nowUs: this.#nowUs,
      tokenFloor,
      isSubscribed: (owner) => !this.#deaf.has(owner),
      notify: (notice) => this.#notices.push(notice),
    }
  }

  #observe(reply: (string | number)[]): Observation {
    const { holds, resized, queue, queueUntilUs, tombstones, fence } = this.#state
    const ttlMs: Record<string, number> = {}
    const until = (name: string, untilUs: number): void => {
      ttlMs[name] = msUntil(untilUs, this.#nowUs)
    }
    for (const [owner, { untilUs }] of holds) until(`the hold of ${owner}`, untilUs)
    if (resized) until('the size', resized.untilUs)
    if (queue.size > 0) until('the queue', queueUntilUs)
    for (const [owner, { aliveUntilUs }] of queue) {
      if (aliveUntilUs > this.#nowUs) until(`the queue entry of ${owner}`, aliveUntilUs)
    }
    const live = [...tombstones].filter(([, untilUs]) => untilUs > this.#nowUs)
    for (const [owner, untilUs] of live) until(`the tombstone of ${owner}`, untilUs)
    if (fence) until('the fence', fence.untilUs)
    if (this.#untilChangeMs !== undefined) ttlMs['the answer'] = this.#untilChangeMs
    // A notification to a client that is not subscribed goes nowhere.
    const heard = this.#notices.filter(({ owner }) => !this.#deaf.has(owner))
    const held = [...holds].map(
      ([owner, { permits, token }]) => `${owner} ${permits} ${this.#tokens.rankOf(token)}`,
    )
    return {
      reply,
      notices: heard.map((notice) =>
        notice.kind === 'revoked'
          ? `revoked ${notice.owner}`
          : `entered ${notice.owner} ${this.#tokens.rankOf(notice.token)} ${notice.leaseMs}`,
      ),
      hold: `${held.sort().join(', ')}; ${resized ? `${resized.size} ${resized.version} ${resized.id}` : ''}`,
      queue: [...queue].map(
        ([owner, { grantLeaseMs, want, size }]) => `${owner} ${grantLeaseMs} ${want} ${size}`,
      ),
      tombstones: live.map(([owner]) => owner).sort(),
      token: this.#tokens.rankOf(fence?.token ?? 0),
      ttlMs,
    }
  }
}
