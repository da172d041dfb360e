/** One connection to Redis, or what a library makes of it, in one process. */
export interface Session {
  /** Takes the lock, waiting for as long as it takes; resolves with what releases it. */
  enter(name: string): Promise<() => Promise<void>>
  /** Takes the lock, takes it again inside, and releases both. Absent where a lock cannot be entered twice. */
  nest?(name: string): Promise<void>
  close(): Promise<void>
}

/**
 * Something that is measured: a floor (what Redis and ioredis can do with nothing around it), Holdfast, or a library that
 * a user would pick instead, in one of its configurations.
 */
export interface Contender {
  /** As it stands in tables and after `--with`, such as `redlock 5`. Its configuration follows in `configuration`. */
  readonly library: string
  /**
   * `best`: the one that its documentation offers for the least delay, without giving up safety.
   * `defaults`: what one gets without options.
   */
  readonly configuration: 'floor' | 'best' | 'defaults'
  /** What the configuration sets, in words, for the documentation. */
  readonly settings: string
  open(url: string): Promise<Session>
}

export const titleOf = ({ library, configuration }: Contender): string =>
  configuration === 'defaults' ? `${library}, defaults` : library
