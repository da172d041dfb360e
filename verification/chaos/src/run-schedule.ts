import { nowMs, readHistories, watchStalls, type HistoryEvent, type WorkerMessage } from '@holdfast/testkit'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Testbed, ClientProcess } from './testbed.js'
import { injectAll } from './faults/inject.js'
import type { FaultContext } from './faults/fault-context.js'
import { compareCounts, findLeftovers, type ReportedHold } from './inspect-locks.js'
import type { WorkerCommand } from './worker-commands.js'
import { keyOf, sizeOf, type ObjectName } from './objects.js'
import type { Schedule } from './schedule.js'
import { lockCount, processCount } from './sizes.js'

/** The outcome of one schedule. */
export interface ScheduleResult {
  readonly history: readonly HistoryEvent[]
  /** Descriptions of processes that hung, or that ended without having been killed. */
  readonly failures: readonly string[]
}

/** A process that does not reply within this time counts as failed. */
const replyTimeoutMs = 30_000
/** By then, leases and queue entries of dead processes have expired. */
const deadExpireWithinMs = 10_000

let runs = 0

/** Runs the schedule on a testbed whose processes are idle, and leaves them idle. */
export async function runSchedule(testbed: Testbed, schedule: Schedule): Promise<ScheduleResult> {
  const run = new ScheduleRun(testbed, `chaos-${process.pid}-${++runs}`, schedule.object ?? 'lock')
  await testbed.restore()
  return run.run(schedule)
}

class ScheduleRun {
  readonly #testbed: Testbed
  readonly #context: FaultContext
  readonly #files: readonly string[]
  readonly #events: HistoryEvent[] = []
  readonly #failures: string[] = []
  readonly #killed = new Set<ClientProcess>()
  readonly #failed = new Set<ClientProcess>()

  constructor(testbed: Testbed, name: string, object: ObjectName) {
    this.#testbed = testbed
    this.#files = testbed.processes.map((clientProcess) =>
      join(testbed.folder, `${name}-${clientProcess.name}.jsonl`),
    )
    const locks = Array.from({ length: lockCount }, (_, n) => `${name}-${n + 1}`)
    this.#context = {
      testbed,
      object,
      locks,
      keys: locks.map((lock) => keyOf(object, lock)),
      kill: async (clientProcess) => {
        this.#killed.add(clientProcess)
        await clientProcess.worker.kill()
        this.#events.push({ kind: 'killed', atMs: nowMs(), process: clientProcess.name })
      },
    }
  }

  async run(schedule: Schedule): Promise<ScheduleResult> {
    const { processes, topology, options } = this.#testbed
    await this.#sendAll('opened', (clientProcess, n) => ({
      type: 'open',
      process: clientProcess.name,
      object: this.#context.object,
      history: this.#files[n] ?? '',
      templates: clientProcess.route.templates,
      library: clientProcess.library,
      options,
    }))
    this.#recordSizes()
    const startAtMs = nowMs() + 20
    const stopWatching = this.#watchProxies()
    const faults = injectAll(this.#context, schedule.faults, startAtMs, (event) => this.#events.push(event))
    // Awaited later, but it may reject before that.
    faults.catch(() => undefined)
    await this.#sendAll('finished', (_, n) => ({
      type: 'run',
      plan: {
        calls: schedule.calls[n] ?? [],
        resizes: (schedule.resizes ?? []).filter(({ process }) => process % processCount === n),
      },
      locks: this.#context.locks,
      startAtMs,
    }))
    await faults
    stopWatching()
    await topology.whenStable()
    const compared = await this.#compareCounts()
    const stillHeld = new Set<string>()
    for (const { clientProcess, message } of await this.#sendAll('ended', () => ({ type: 'end' }))) {
      const { open, isHeld } = message
      const owner = compared.ownerOf.get(clientProcess)
      if (owner !== undefined && isHeld === true) stillHeld.add(owner)
      if (Array.isArray(open) && open.length > 0)
        this.#failures.push(`${clientProcess.name} left open: ${open.join(', ')}`)
    }
    // Whoever lost its hold meanwhile, as when its session ended, has a count of the past.
    const isOfPast = (owner: string): boolean =>
      [...compared.ownerOf.values()].includes(owner) && !stillHeld.has(owner)
    this.#events.push(
      ...compared.events.filter((event) => !(event.kind === 'counted' && isOfPast(event.owner))),
    )
    // A process that did not even start is a failure, and wrote nothing.
    const written = readHistories(this.#files.filter((file) => existsSync(file)))
    const found = await findLeftovers(this.#context, {
      deadExpireWithinMs,
      mayBeDead: this.#mayBeDead(written),
    })
    this.#events.push(...found)
    await Promise.all(this.#files.map((file) => rm(file, { force: true })))
    const history = [...written, ...this.#events].sort((a, b) => a.atMs - b.atMs)
    // A process that did not reach the end is not idle.
    await Promise.all(
      processes
        .filter((clientProcess) => !this.#isUsable(clientProcess))
        .map((clientProcess) => clientProcess.worker.kill()),
    )
    return { history, failures: this.#failures }
  }

  /** That of a lock goes without saying. */
  #recordSizes(): void {
    const { object, locks } = this.#context
    const size = sizeOf[object]
    if (size === undefined) return
    this.#events.push(...locks.map((lock) => ({ kind: 'sized' as const, atMs: nowMs(), lock, size })))
  }

  /** The proxies of all processes run in this one: while its event loop stalls, no process can reach a server. */
  #watchProxies(): () => void {
    return watchStalls((event) => {
      if (event.kind !== 'stalled') return
      const { stalledMs } = event
      for (const { name } of this.#testbed.processes) {
        this.#events.push({ kind: 'stalled', atMs: nowMs(), process: name, stalledMs })
      }
    })
  }

  async #compareCounts(): Promise<{ events: HistoryEvent[]; ownerOf: Map<ClientProcess, string> }> {
    const { locks } = this.#context
    const holders = this.#testbed.processes
      .filter((clientProcess) => this.#isUsable(clientProcess))
      .slice(0, lockCount)
    const replies = await this.#sendAll('held', (clientProcess) => {
      const n = holders.indexOf(clientProcess)
      return { type: 'hold', lock: n === -1 ? null : n, count: n + 2 }
    })
    const ownerOf = new Map<ClientProcess, string>()
    const reported = replies.flatMap(({ clientProcess, message }): ReportedHold[] => {
      const lock = locks[holders.indexOf(clientProcess)]
      const { owner, atClient } = message
      if (lock === undefined || typeof owner !== 'string') return []
      ownerOf.set(clientProcess, owner)
      return [{ lock, owner, atClient: Number(atClient) }]
    })
    return { events: await compareCounts(this.#context, reported), ownerOf }
  }

  /** Sends every usable process a command, and resolves with their replies. */
  async #sendAll(
    replyType: string,
    commandFor: (clientProcess: ClientProcess, n: number) => WorkerCommand,
  ): Promise<{ readonly clientProcess: ClientProcess; readonly message: WorkerMessage }[]> {
    const replies = this.#testbed.processes.map(async (clientProcess, n) => {
      if (!this.#isUsable(clientProcess)) return []
      try {
        await clientProcess.worker.send(commandFor(clientProcess, n))
        return [
          {
            clientProcess,
            message: await clientProcess.worker.waitFor(replyType, replyTimeoutMs),
          },
        ]
      } catch (error) {
        if (!this.#killed.has(clientProcess)) this.#fail(clientProcess, error)
        return []
      }
    })
    return (await Promise.all(replies)).flat()
  }

  /** A client that reported nothing may belong to any process. */
  #mayBeDead(history: readonly HistoryEvent[]): (owner: string) => boolean {
    const dead = this.#testbed.processes
      .filter((clientProcess) => !this.#isUsable(clientProcess))
      .map(({ name }) => name)
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

  #fail(clientProcess: ClientProcess, error: unknown): void {
    this.#failed.add(clientProcess)
    this.#failures.push(`${clientProcess.name}: ${error instanceof Error ? error.message : String(error)}`)
  }

  #isUsable(clientProcess: ClientProcess): boolean {
    return !this.#killed.has(clientProcess) && !this.#failed.has(clientProcess)
  }
}

function clientOf(owner: string): string {
  return owner.slice(0, owner.lastIndexOf(':'))
}
