import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { HoldfastChannels } from '../index.js'

/** What lasts. */
export type Operation = 'acquire' | 'hold' | 'renew' | 'release'
/** What happens at one instant. */
export type Point = 'granted' | 'lost' | 'revoked' | 'warning' | 'error' | 'connection'

/** What to call for messages of Holdfast's channels. */
export type Subscriptions = {
  readonly [O in Operation as `${O}:${'start' | 'asyncEnd'}`]?: (
    context: HoldfastChannels[`holdfast:${O}`],
  ) => void
} & { readonly [P in Point]?: (message: HoldfastChannels[`holdfast:${P}`]) => void }

/** Subscribes to them all, and returns what undoes that. */
export function subscribeTo(subscriptions: Subscriptions): () => void {
  const listeners = Object.entries(subscriptions).map(([key, listener]) => {
    const channel = key.includes(':') ? `tracing:holdfast:${key}` : `holdfast:${key}`
    // The one place where a channel's name has to vouch for the type of its messages.
    return [channel, listener as (message: unknown) => void] as const
  })
  for (const [channel, listener] of listeners) subscribe(channel, listener)
  return () => {
    for (const [channel, listener] of listeners) unsubscribe(channel, listener)
  }
}
