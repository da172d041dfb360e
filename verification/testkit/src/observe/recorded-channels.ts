import { subscribe, unsubscribe } from 'node:diagnostics_channel'

/** What a message said when it was published; its object may have changed since. */
export type ChannelMessage = Readonly<Record<string, unknown>>

/** What was published since the recording began. */
export interface RecordedChannels {
  /** The channels, such as `acquire:start` or `lost`, in the order in which they were published to. */
  readonly order: readonly string[]
  /** What was published there, in order. */
  on(channel: string): readonly ChannelMessage[]
  stop(): void
}

export interface ChannelNames {
  readonly prefix: string
  /** Tracing channels, of which each has five. */
  readonly operations: readonly string[]
  readonly points: readonly string[]
}

const phases = ['start', 'end', 'asyncStart', 'asyncEnd', 'error']

/** Subscribes to diagnostics channels. */
export function recordChannels(
  { prefix, operations, points }: ChannelNames,
  onMessage: (channel: string) => void = () => undefined,
): RecordedChannels {
  const all: { readonly channel: string; readonly message: ChannelMessage }[] = []
  const record = (channel: string) => (message: unknown) => {
    all.push({ channel, message: typeof message === 'object' ? { ...message } : {} })
    onMessage(channel)
  }
  const traced = operations.flatMap((name) =>
    phases.map((phase) => [`tracing:${prefix}:${name}:${phase}`, record(`${name}:${phase}`)] as const),
  )
  const listeners = [...traced, ...points.map((name) => [`${prefix}:${name}`, record(name)] as const)]
  for (const [channel, listener] of listeners) subscribe(channel, listener)
  return {
    get order() {
      return all.map(({ channel }) => channel)
    },
    on: (wanted) => all.filter(({ channel }) => channel === wanted).map(({ message }) => message),
    stop: () => {
      for (const [channel, listener] of listeners) unsubscribe(channel, listener)
    },
  }
}

/** The names of all channels of Holdfast. */
export const holdfastChannels: ChannelNames = {
  prefix: 'holdfast',
  operations: ['acquire', 'hold', 'renew', 'release'],
  points: ['granted', 'lost', 'revoked', 'warning', 'error', 'connection'],
}
