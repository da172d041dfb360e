export type Leave = () => Promise<void>

/** One connection to a store, or a library's client, in one process. */
export interface Session {
  /** Takes the lock, however long the wait; resolves with the function that releases it. */
  enter(name: string): Promise<Leave>
  close(): Promise<void>
}

/** A client that keeps locks for as long as it lives, by renewing each one automatically. */
export interface Holder {
  /** Resolves when the lock is held. */
  hold(name: string): Promise<void>
  /** How many holds the library has reported as lost. */
  lost(): number
}

/** Something that is measured: a floor (what a bare store and its client can do), Holdfast, or another library. */
export interface Contender {
  /** The name in tables and after `--with`, such as `redlock 5`. */
  readonly library: string
  readonly isFloor?: true
  /** The configuration that its documentation recommends for the least delay, without giving up safety. */
  readonly settings: string
  readonly waits: 'never' | 'queueing' | 'notified' | 'polling'
  /** What a program imports to use it. */
  readonly imports?: readonly string[]
  open(url: string): Promise<Session>
  /** A lock outlives a holder that died by `leaseMs`. Absent where locks are not renewed automatically. */
  readonly hold?: (url: string, leaseMs: number) => Promise<Holder>
}

/** Those that can do something; the others are listed in a line of the run. */
export function ableTo(
  what: string,
  all: readonly Contender[],
  isAble: (each: Contender) => boolean,
  say: (line: string) => void,
): Contender[] {
  const others = all.filter((each) => !isAble(each)).map(({ library }) => library)
  if (others.length > 0) say(`left out, since they cannot ${what}: ${others.join('; ')}`)
  return all.filter(isAble)
}
