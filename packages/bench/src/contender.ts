/** One connection to Redis, or a library's client, in one process. */
export interface Session {
  /** Takes the lock, however long the wait; resolves with the function that releases it. */
  enter(name: string): Promise<() => Promise<void>>
  /** Takes an object that several hold at once so that nobody else has it meanwhile. Absent where `enter` does that. */
  enterAlone?(name: string): Promise<() => Promise<void>>
  /** Takes the lock, takes it again inside, and releases both. Absent where a lock cannot be entered twice. */
  nest?(name: string): Promise<void>
  /** Takes these locks as one, and releases them. Absent where there is no such call. */
  together?(names: readonly string[]): Promise<void>
  close(): Promise<void>
}

/**
 * Something that is measured: a floor (what bare Redis and ioredis can do), Holdfast, or an alternative library in one of
 * its configurations.
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
  open(url: string): Promise<Session>
}

export const titleOf = ({ library, configuration }: Contender): string =>
  configuration === 'defaults' ? `${library}, defaults` : library

/** Takes an object so that nobody else has it meanwhile. */
export const enterAlone = (session: Session, name: string): ReturnType<Session['enter']> =>
  session.enterAlone ? session.enterAlone(name) : session.enter(name)
