export type Leave = () => Promise<void>

/** One connection to a store, or a library's client, in one process. What a library cannot do is absent. */
export interface Session {
  /** Takes the lock, however long the wait; resolves with the function that releases it. */
  enter(name: string): Promise<Leave>
  /** Takes an exclusive hold of an object that can also be shared. Absent where `enter` does that. */
  enterAlone?(name: string): Promise<Leave>
  /** Takes the lock, takes it again inside, and releases both. */
  nest?(name: string): Promise<void>
  /** Takes these locks as one, and releases them. */
  together?(names: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** A client that keeps locks for as long as it lives, by renewing each one automatically. */
export interface Holder {
  /** Resolves when the lock is held. */
  hold(name: string): Promise<void>
  /** How many holds the library has reported as lost. */
  lost(): number
}

/**
 * Something that is measured: a floor (what a bare store and its client can do), Holdfast, or an alternative library in
 * one of its configurations.
 */
export interface Contender {
  /** The name in tables and after `--with`, such as `redlock 5`. `configuration` holds its configuration. */
  readonly library: string
  /**
   * `best`: the one that its documentation recommends for the least delay, without giving up safety.
   * `defaults`: no options.
   */
  readonly configuration: 'floor' | 'best' | 'defaults'
  /** A description of the configuration, for the documentation. */
  readonly settings: string
  /** `stalling`: a waiter may miss that the lock is free, and then waits for the lease to end. */
  readonly waits: 'never' | 'queueing' | 'notified' | 'stalling' | 'polling'
  /** What a program imports to use it. */
  readonly imports?: readonly string[]
  open(url: string): Promise<Session>
  /** A lock outlives a holder that died by `leaseMs`. Absent where locks are not renewed automatically. */
  readonly hold?: (url: string, leaseMs: number) => Promise<Holder>
  /** A session on the majority of these masters. */
  readonly openQuorum?: (urls: readonly string[]) => Promise<Session>
}

export const titleOf = ({ library, configuration }: Pick<Contender, 'library' | 'configuration'>): string =>
  configuration === 'defaults' ? `${library}, defaults` : library

/** Takes an object exclusively. */
export const enterAlone = (session: Session, name: string): Promise<Leave> =>
  session.enterAlone ? session.enterAlone(name) : session.enter(name)

/** Those that can do something; the others are listed in a line of the run. */
export function ableTo<T>(
  what: string,
  all: readonly T[],
  isAble: (each: T) => boolean,
  { titleOf: title, say }: { titleOf: (each: T) => string; say: (line: string) => void },
): T[] {
  const others = all.filter((each) => !isAble(each)).map(title)
  if (others.length > 0) say(`left out, since they cannot ${what}: ${others.join('; ')}`)
  return all.filter(isAble)
}
