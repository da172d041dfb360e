import { channel, tracingChannel } from 'node:diagnostics_channel'
import type { Channel, TracingChannel } from 'node:diagnostics_channel'
import type { HoldfastChannels } from './contexts.js'
import { outsideAllCalls } from './outside-all-calls.js'

type Operation = 'acquire' | 'hold' | 'renew' | 'release'
type Point = 'granted' | 'lost' | 'revoked' | 'warning' | 'error' | 'connection'

const operation = <O extends Operation>(
  name: O,
): TracingChannel<unknown, HoldfastChannels[`holdfast:${O}`]> =>
  tracingChannel<unknown, HoldfastChannels[`holdfast:${O}`]>(`holdfast:${name}`)

/** What lasts. One set per process: both builds of this package publish to the same channels. */
export const operations = {
  acquire: operation('acquire'),
  hold: operation('hold'),
  renew: operation('renew'),
  release: operation('release'),
}

/** What happens at one instant. */
const points: Record<Point, Channel> = {
  granted: channel('holdfast:granted'),
  lost: channel('holdfast:lost'),
  revoked: channel('holdfast:revoked'),
  warning: channel('holdfast:warning'),
  error: channel('holdfast:error'),
  connection: channel('holdfast:connection'),
}

export const isPointObserved = (point: Point): boolean => points[point].hasSubscribers

/** In the context of no call: a timer or a socket may come from one that has nothing to do with the message. */
export function publishPoint<P extends Point>(point: P, message: HoldfastChannels[`holdfast:${P}`]): void {
  outsideAllCalls(() => points[point].publish(message))
}

// Not `traced.hasSubscribers`: Node.js 20 does not promise it.
/** Whether anyone listens. If not, no context is built. */
export const isObserved = (operation: Phases): boolean =>
  operation.start.hasSubscribers ||
  operation.end.hasSubscribers ||
  operation.asyncStart.hasSubscribers ||
  operation.asyncEnd.hasSubscribers ||
  operation.error.hasSubscribers

type Phases = Readonly<
  Record<'start' | 'end' | 'asyncStart' | 'asyncEnd' | 'error', { hasSubscribers: boolean }>
>
