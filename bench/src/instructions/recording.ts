/** A command that a client sent. */
export interface Sent {
  /** One character per byte. */
  readonly words: readonly string[]
  /** How many commands Redis ran for it: 1, or those that a script called. */
  readonly commands: number
}

/** What clients sent to bring a server to where cycles begin, and what they sent during the cycles. */
export interface Recording {
  readonly before: readonly Sent[]
  readonly during: readonly Sent[]
  readonly cycles: number
}

export const commandsPerCycle = ({ during, cycles }: Recording): number =>
  during.reduce((sum, { commands }) => sum + commands, 0) / cycles

/** Makes the last of these calls, each for `size` holds or queue entries, the cycles: it is made again and again. */
export function repeated(
  { before, during }: Recording,
  isCall: (sent: Sent) => boolean,
  size: number,
  times: number,
): Recording {
  const call = during.filter(isCall).at(-1)
  if (!call) throw new Error('the call to repeat was not recorded')
  return {
    before: [...before, ...during],
    during: Array.from({ length: times }, () => call),
    cycles: size * times,
  }
}
