import { describeRefresh, type TokenRanks } from '../../../memory/test/compare/observation.js'
import type { SharedStep } from '../../../memory/test/compare/shared-step.js'
import type { Step as LockStep } from '../../../memory/test/compare/step.js'
import type { PostgresAddress } from '../../src/address.js'
import type { Row } from '../../src/connection/statement.js'
import { Steps } from '../../src/steps.js'
import type { Call } from '../../src/step.js'
import { inboxOf, type Answer } from './postgres-sequences.js'

export const schema = '"holdfast"'
const steps = new Steps(schema)

type Kind = PostgresAddress['kind']

type CompareStep = LockStep | SharedStep

const addressOf = (id: string, kind: Kind): PostgresAddress => ({ name: id, id, group: '', kind })

/** The call of the function that carries out the step; `undefined` where there is none. */
export function callOf(kind: Kind, step: CompareStep, id: string): Call | undefined {
  const address = addressOf(id, kind)
  switch (step.kind) {
    case 'acquire':
      return steps.acquire(
        address,
        { ...step, proof: 'p', wantsToken: true },
        inboxOf(step.owner),
        step.tokenFloor,
      )
    case 'release':
      return steps.release(address, step, step.tokenFloor)
    case 'force':
      return steps.force(address, step.owner, inboxOf(step.owner).channel, step.tokenFloor)
    case 'resize':
      return steps.resize(address, step, step.tokenFloor)
    case 'renew':
      return steps.renew([{ ...step, address }], 0)
    case 'refresh':
      return steps.refresh([{ ...step, address }], inboxOf(step.owner))
    case 'inspect':
      return steps.inspect(address, step.limit)
    case 'pass':
    case 'evict':
    case 'subscribe':
    case 'unsubscribe':
      return undefined
  }
}

export function readReply(kind: Kind, step: CompareStep, rows: readonly Row[], tokens: TokenRanks): Answer {
  const address = addressOf('', kind)
  switch (step.kind) {
    case 'acquire': {
      const call = steps.acquire(address, { ...step, proof: 'p', wantsToken: true }, inboxOf(step.owner), 0)
      const reply = call.read(rows)
      switch (reply.kind) {
        case 'held':
          // With Redis the reply to a re-entry has no token.
          return {
            reply: kind === 'lock' && step.count > 1 ? ['held'] : ['held', tokens.rankOf(reply.token)],
          }
        case 'busy':
          return { reply: ['busy', reply.holder, reply.position], untilChangeMs: reply.ttlMs }
        default:
          return { reply: [reply.kind] }
      }
    }
    case 'release':
      return { reply: [steps.release(address, step, 0).read(rows).kind] }
    case 'force':
      return { reply: [steps.force(address, step.owner, '', 0).read(rows).kind] }
    case 'resize': {
      const { kind: outcome, version, size } = steps.resize(address, step, 0).read(rows)
      return { reply: [outcome, version, size] }
    }
    case 'renew':
      return { reply: [...steps.renew([{ ...step, address }], 0).read(rows)] }
    case 'refresh': {
      const [entry] = steps.refresh([{ ...step, address }], inboxOf(step.owner)).read(rows)
      return entry ? { reply: describeRefresh(entry), untilChangeMs: entry.ttlMs } : { reply: [] }
    }
    case 'inspect':
      return { reply: describeInspection(steps.inspect(address, step.limit).read(rows), tokens) }
    case 'pass':
    case 'evict':
    case 'subscribe':
    case 'unsubscribe':
      return { reply: [] }
  }
}

function describeInspection(
  inspection: ReturnType<ReturnType<Steps['inspect']>['read']>,
  tokens: TokenRanks,
): (string | number)[] {
  const { token, waiterCount } = inspection
  if (inspection.kind === 'lock') {
    const { owner, count, waiters } = inspection
    const listed = waiters.map((waiter) => `${waiter.owner}${waiter.aliveMs > 0 ? '' : ' stale'}`)
    return [owner, count, tokens.rankOf(token), waiterCount, ...listed]
  }
  const { size, version, used, holderCount, holders, waiters } = inspection
  return [
    ...[size, version, used, holderCount, tokens.rankOf(token), waiterCount],
    ...holders.map(({ owner, permits }) => `${owner} ${permits}`),
    ...waiters.map(({ owner, permits, aliveMs }) => `${owner} ${permits}${aliveMs > 0 ? '' : ' stale'}`),
  ]
}
