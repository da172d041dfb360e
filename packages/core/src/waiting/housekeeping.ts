import type { Watchdog } from '@holdfast/watchdog'
import type { Background } from '../util/background.js'
import type { Hold } from '../holding/hold.js'
import type { Holds } from '../holding/hold-table.js'
import type { RedissonPeers } from '../redis/redisson/peers.js'
import { refreshPlaces } from './refresh.js'
import type { CommandLink } from '../redis/connection/script-connection.js'
import type { LockCommands } from '../redis/commands.js'
import type { WaitRoom } from './waiter-table.js'

export interface UpkeepMeans {
  readonly everyMs: number
  readonly link: CommandLink
  readonly commands: LockCommands
  readonly holds: Holds
  readonly room: WaitRoom
  readonly watchdog: Watchdog<Hold>
  readonly background: Background
  readonly redisson: RedissonPeers | undefined
  /** Says anew who this client is. */
  announce(): Promise<void>
}

/**
 * What a client does by itself for those who hold and wait, besides renewing: in a steady rhythm, and at once after
 * anything by which word may have been missed.
 */
export class Upkeep {
  readonly #means: UpkeepMeans
  #rhythm: NodeJS.Timeout | undefined
  #isRefreshing = false

  constructor(means: UpkeepMeans) {
    this.#means = means
  }

  /** Nothing when it has begun. */
  begin(): void {
    this.#rhythm ??= setInterval(this.#onRhythm, this.#means.everyMs)
    // Not a reason to stay alive: without connections there is nothing to refresh.
    this.#rhythm.unref()
  }

  end(): void {
    clearInterval(this.#rhythm)
  }

  /** After a break everything may be different: holders and waiters ask at once. */
  recover(): void {
    this.#means.watchdog.renewNow()
    this.lookAfterWaits()
  }

  /**
   * Messages or replies may have been missed. Those in a queue ask together how they stand: after a fail-over a server may
   * have thousands of clients that all have to know.
   */
  lookAfterWaits(): void {
    const { room, background } = this.#means
    room.wakeUnqueued()
    const refreshed = this.#refresh().catch((error: unknown) => {
      room.wakeQueued()
      throw error
    })
    background.run(refreshed)
  }

  readonly #onRhythm = (): void => {
    const { holds, room, background, redisson } = this.#means
    if (holds.size === 0 && room.size === 0) return
    background.run(this.#means.announce())
    redisson?.relocate()
    if (this.#isRefreshing) return
    this.#isRefreshing = true
    const refreshed = this.#refresh().finally(() => {
      this.#isRefreshing = false
    })
    background.run(refreshed)
  }

  #refresh(): Promise<void> {
    const { room, link, commands } = this.#means
    return refreshPlaces(room, link, commands)
  }
}
