import { nowMs, readHistories, watchStalls, type HistoryEvent, type WorkerMessage } from '@holdfast/testkit'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Arena, Seat } from './arena.js'
import { injectAll } from './faults/inject.js'
import type { Scene } from './faults/scene.js'
import { lookForLeftovers, readCounts, type Taken } from './look.js'
import type { Order } from './orders.js'
import type { Schedule } from './schedule.js'
import { lockCount } from './sizes.js'

export interface PlayOptions {
  /** After this nobody waits for a process any more; the checker sees what it did not do. @defaultValue 30_000 */
  readonly patienceMs?: number
  /** By then leases and places of dead processes have ended. @defaultValue 10_000 */
  readonly leftoversEndWithinMs?: number
}

/** What became of one schedule. */
export interface Played {
  readonly history: readonly HistoryEvent[]
  /** Processes that ended without having been killed, or hung, in words. */
  readonly failures: readonly string[]
}

let rounds = 0

/** Plays the schedule on an arena whose processes are at rest, and leaves them at rest. */
export async function play(arena: Arena, schedule: Schedule, options: PlayOptions = {}): Promise<Played> {
  const round = new Round(arena, `chaos-${process.pid}-${++rounds}`, options)
  await arena.restore()
  return round.run(schedule)
}

class Round {
  readonly #arena: Arena
  readonly #options: Required<PlayOptions>
  readonly #scene: Scene
  readonly #files: readonly string[]
  readonly #events: HistoryEvent[] = []
  readonly #failures: string[] = []
  readonly #killed = new Set<Seat>()
  readonly #failed = new Set<Seat>()

  constructor(arena: Arena, name: string, options: PlayOptions) {
    this.#arena = arena
    this.#options = { patienceMs: 30_000, leftoversEndWithinMs: 10_000, ...options }
    this.#files = arena.seats.map((seat) => join(arena.folder, `${name}-${seat.name}.jsonl`))
    const locks = Array.from({ length: lockCount }, (_, n) => `${name}-${n + 1}`)
    this.#scene = {
      arena,
      locks,
      keys: locks.map((lock) => `lock:${lock}`),
      kill: async (seat) => {
        this.#killed.add(seat)
        await seat.worker.kill()
        this.#events.push({ kind: 'killed', atMs: nowMs(), process: seat.name })
      },
    }
  }

  async run(schedule: Schedule): Promise<Played> {
    const { seats, topology, options } = this.#arena
    await this.#tellAll('opened', (seat, n) => ({
      type: 'open',
      process: seat.name,
      history: this.#files[n] ?? '',
      templates: topology.templates(seat.links),
      options,
    }))
    const startAtMs = nowMs() + 20
    const stopWatching = this.#watchProxies()
    const faults = injectAll(this.#scene, schedule.faults, startAtMs, (event) => this.#events.push(event))
    // It is awaited later, and may fail before.
    faults.catch(() => undefined)
    await this.#tellAll('played', (_, n) => ({
      type: 'play',
      calls: schedule.calls[n] ?? [],
      locks: this.#scene.locks,
      startAtMs,
    }))
    await faults
    stopWatching()
    await topology.whenStable()
    await this.#compareCounts()
    for (const { seat, message } of await this.#tellAll('ended', () => ({ type: 'end' }))) {
      const { open } = message
      if (Array.isArray(open) && open.length > 0)
        this.#failures.push(`${seat.name} left open: ${open.join(', ')}`)
    }
    const written = readHistories(this.#files)
    const found = await lookForLeftovers(this.#scene, {
      deadIsGoneWithinMs: this.#options.leftoversEndWithinMs,
      mayBeDead: this.#mayBeDead(written),
    })
    this.#events.push(...found)
    await Promise.all(this.#files.map((file) => rm(file, { force: true })))
    const history = [...written, ...this.#events].sort((a, b) => a.atMs - b.atMs)
    // Whoever did not get to the end is not at rest.
    await Promise.all(seats.filter((seat) => !this.#isUsable(seat)).map((seat) => seat.worker.kill()))
    return { history, failures: this.#failures }
  }

  /** The links of all run through this process: while it stands still, nothing gets through to anybody. */
  #watchProxies(): () => void {
    return watchStalls((event) => {
      if (event.kind !== 'stalled') return
      const { stalledMs } = event
      for (const { name } of this.#arena.seats) {
        this.#events.push({ kind: 'stalled', atMs: nowMs(), process: name, stalledMs })
      }
    })
  }

  async #compareCounts(): Promise<void> {
    const { locks } = this.#scene
    const holders = this.#arena.seats.filter((seat) => this.#isUsable(seat)).slice(0, lockCount)
    const answers = await this.#tellAll('taken', (seat) => {
      const n = holders.indexOf(seat)
      return { type: 'take', lock: n === -1 ? null : n, count: n + 2 }
    })
    const taken = answers.flatMap(({ seat, message }): Taken[] => {
      const lock = locks[holders.indexOf(seat)]
      const { owner, atClient } = message
      if (lock === undefined || typeof owner !== 'string') return []
      return [{ lock, owner, atClient: Number(atClient) }]
    })
    this.#events.push(...(await readCounts(this.#scene, taken)))
  }

  /** Gives every usable process an order, and resolves with their answers. */
  async #tellAll(
    answer: string,
    order: (seat: Seat, n: number) => Order,
  ): Promise<{ readonly seat: Seat; readonly message: WorkerMessage }[]> {
    const answers = this.#arena.seats.map(async (seat, n) => {
      if (!this.#isUsable(seat)) return []
      try {
        await seat.worker.send(order(seat, n))
        return [{ seat, message: await seat.worker.waitFor(answer, this.#options.patienceMs) }]
      } catch (error) {
        if (!this.#killed.has(seat)) this.#fail(seat, error)
        return []
      }
    })
    return (await Promise.all(answers)).flat()
  }

  /** A client of which nothing was ever heard may be anybody's. */
  #mayBeDead(history: readonly HistoryEvent[]): (owner: string) => boolean {
    const dead = this.#arena.seats.filter((seat) => !this.#isUsable(seat)).map(({ name }) => name)
    const processOf = new Map(
      history.flatMap((event) =>
        'process' in event && 'owner' in event && event.owner !== null
          ? [[clientOf(event.owner), event.process]]
          : [],
      ),
    )
    return (owner) => {
      const process = processOf.get(clientOf(owner))
      return process === undefined ? dead.length > 0 : dead.includes(process)
    }
  }

  #fail(seat: Seat, error: unknown): void {
    this.#failed.add(seat)
    this.#failures.push(`${seat.name}: ${error instanceof Error ? error.message : String(error)}`)
  }

  #isUsable(seat: Seat): boolean {
    return !this.#killed.has(seat) && !this.#failed.has(seat)
  }
}

function clientOf(owner: string): string {
  return owner.slice(0, owner.lastIndexOf(':'))
}
