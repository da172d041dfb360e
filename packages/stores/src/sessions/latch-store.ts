/** What a store keeps of a latch. A store adds what it needs to change it. */
export interface StoredLatch {
  readonly text: string
  /** Larger than that of every earlier text of this latch, also of one that was gone since. */
  readonly version: number
}

/** What is to be kept of a latch. */
export interface NewLatch {
  readonly text: string
  /** Names the parties that count from now on. */
  readonly round: string
  /** How long it is kept after its last use, milliseconds. */
  readonly keepMs: number
  /** Whether it is set, and not open yet: then it is listed for operators. */
  readonly isClosed: boolean
}

/**
 * What count-down latches need of a store: a text that changes only as its writer saw it, and sets of names beside it. Calls end and reject
 * as those of `QueueStore`.
 */
export interface LatchStore {
  /** `null`: there is none, or its time is up. */
  read(name: string, timeoutMs: number): Promise<StoredLatch | null>
  /**
   * Calls back once when the text has changed, or when that can no longer be told, and perhaps earlier, for nothing.
   *
   * @returns has it forgotten
   */
  watch(name: string, callback: () => void, timeoutMs: number): Promise<() => void>
  /** Writes the text if the latch is as it was read; `null`: there was none. `false`: it is not. */
  write(name: string, read: StoredLatch | null, latch: NewLatch, timeoutMs: number): Promise<boolean>
  /**
   * Adds a party to a round if the latch is as it was read.
   *
   * @returns how many there are; `null`: it is not as it was read
   */
  count(
    name: string,
    read: StoredLatch,
    round: string,
    party: string,
    timeoutMs: number,
  ): Promise<number | null>
  /** The parties of a round: how many, and some of them. */
  parties(name: string, round: string, limit: number, timeoutMs: number): Promise<LatchNames>
  /** Has the latch kept for its whole time from now on. */
  keep(name: string, read: StoredLatch, timeoutMs: number): Promise<void>
  /** How long it is kept unless it is used, milliseconds. */
  leftMs(name: string, read: StoredLatch, timeoutMs: number): Promise<number>
  /** Shows this client among those that wait, until it no longer does or its session ends. */
  attend(name: string, isWaiting: boolean, timeoutMs: number): Promise<void>
  /** Those that do. */
  waiters(name: string, limit: number, timeoutMs: number): Promise<LatchNames>
}

/** How many there are, and some of them. */
export interface LatchNames {
  readonly count: number
  readonly some: readonly string[]
}
