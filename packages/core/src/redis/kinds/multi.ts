import type { JointReply } from '../../engine/replies.js'
import { CarriedSteps } from '../carried-steps.js'
import {
  fenceBeyond,
  notALockReply,
  readBusy,
  type RedisCommands,
  type RedisCommandsOptions,
} from '../commands.js'
import type { ScriptCall } from '../connection/script-connection.js'
import { asList, numberAt, textAt } from '../reply.js'
import { multiScripts } from '../scripts/generated.js'
import { keyList, type RedisJointRequest } from './lock.js'

/** What multi locks bring along: several locks of one slot in one command. */
export const multiSteps = /* @__PURE__ */ new CarriedSteps(
  Object.values(multiScripts),
  ({ steps, permitted }) => acquireManyBy(steps, permitted),
)

/** Has these steps acquire several locks, by this connection. */
export function acquireManyBy(steps: RedisCommands, connection: RedisCommandsOptions['connection']): void {
  steps.acquireMany = (request, timeoutMs) =>
    connection.run(callOf(request, steps), (given, call) => read(given, call, steps), timeoutMs)
}

function callOf({ locks, mode, leaseMs }: RedisJointRequest, steps: RedisCommands): ScriptCall {
  const keys = locks.flatMap(({ address }) => keyList(address))
  const args = [mode, leaseMs, ...locks.flatMap(({ address, owner }) => [owner, steps.floorOf(address)])]
  return { script: multiScripts.multiAcquire, keys, args }
}

function read(given: unknown, { keys }: ScriptCall, steps: RedisCommands): JointReply {
  const reply = asList(given)
  if (reply[0] === -2) return { kind: 'abandoned' }
  if (reply[0] === -3) {
    const index = numberAt(reply, 2) - 1
    return { ...notALockReply(keys[4 * index] ?? '', textAt(reply, 1)), index }
  }
  if (reply[0] === -4) {
    const index = numberAt(reply, 3) - 1
    return { ...fenceBeyond(textAt(reply, 1), textAt(reply, 2)), index }
  }
  const first = reply.length > 0 ? textAt(reply, 0) : ''
  const nEnd = first.indexOf(' ')
  const texts = nEnd < 0 ? reply : reply.slice(1)
  const tokens = texts.map((_, i) => steps.readHeld(keys[4 * i] ?? '', textAt(texts, i)).token)
  if (nEnd < 0) return { kind: 'entered', tokens }
  const index = Number(first.slice(0, nEnd)) - 1
  return { kind: 'entered', tokens, busy: { index, reply: readBusy(first.slice(nEnd + 1)) } }
}
