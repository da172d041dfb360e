import { join } from 'node:path'
import { forkWorker, uniqueName, type Worker } from '@holdfast/testkit'
import { Holdfast, type HoldfastOptions } from '../../src/index.js'
import { closeAfterTest } from './clients.js'

/** How a worker makes its template: a Cluster from these nodes, or what else the options of ioredis say. */
export interface Reach {
  readonly nodes?: readonly { readonly host: string; readonly port: number }[]
  readonly options: Readonly<Record<string, unknown>>
}

/** What became of one caller. */
export interface Visit {
  readonly name: string
  /** On the clock of all processes; NaN for one that never got in. */
  readonly enteredAt: number
  readonly leftAt: number
  readonly token: number
  /** `done`, or the code of the error. */
  readonly end: string
}

export interface HeavyWaiting {
  /** All of one slot. */
  readonly names: readonly string[]
  readonly callers: number
  /** Lets the first ones in, and resolves when some hand-offs have happened. */
  letGo(): Promise<void>
  /** Resolves when every caller has been served, with what became of each; and when both clients have closed. */
  end(): Promise<readonly Visit[]>
}

const callersPerLock = 10

/** Two processes with 30 callers each on three locks that are held: resolves when all of them wait. */
export async function startHeavyWaiting(
  redis: Exclude<HoldfastOptions['redis'], string>,
  reach: Reach,
  watchdogTimeoutMs = 3_000,
): Promise<HeavyWaiting> {
  const tag = uniqueName('heavy')
  const names = [1, 2, 3].map((n) => `{${tag}}:${n}`)
  const holdfast = new Holdfast({ redis, watchdogTimeoutMs })
  closeAfterTest(() => holdfast.close())
  const leases = await Promise.all(names.map((name) => holdfast.getLock(name).lock()))

  const file = join(__dirname, '../workers/heavy-waiting.mjs')
  const task = { names, callers: callersPerLock, insideMs: 100, watchdogTimeoutMs }
  const args = [reach, task].map((part) => JSON.stringify(part))
  const workers: Worker[] = []
  for (const _ of [1, 2]) {
    const worker = await forkWorker(file, { args })
    closeAfterTest(() => worker.kill())
    workers.push(worker)
  }
  await Promise.all(workers.map((worker) => worker.waitFor('all waiting')))

  return {
    names,
    callers: names.length * callersPerLock * workers.length,
    async letGo() {
      await Promise.all(leases.map((lease) => lease.unlock()))
      for (const _ of names) await workers[0]?.waitFor('visited')
    },
    async end() {
      const ends = workers.map(async (worker) => {
        const { visits } = await worker.waitFor('all visited')
        await worker.waitFor('closed')
        return Array.isArray(visits) ? visits.map(asVisit) : []
      })
      return (await Promise.all(ends)).flat()
    },
  }
}

/** Pairs of visits to one lock that overlap in time. */
export function overlaps(visits: readonly Visit[]): [Visit, Visit][] {
  const sorted = [...visits].sort((a, b) => a.enteredAt - b.enteredAt)
  return sorted.flatMap((first, n) =>
    sorted
      .slice(n + 1)
      .filter((second) => second.name === first.name && second.enteredAt < first.leftAt)
      .map((second): [Visit, Visit] => [first, second]),
  )
}

/** Whether in each lock whoever entered later has the larger token. */
export function tokensGrow(visits: readonly Visit[]): boolean {
  const sorted = [...visits].sort((a, b) => a.enteredAt - b.enteredAt)
  return sorted.every((visit, n) =>
    sorted.slice(n + 1).every((later) => later.name !== visit.name || later.token > visit.token),
  )
}

/** How many got in after that instant. */
export function enteredSince(visits: readonly Visit[], instant: number): number {
  return visits.filter(({ enteredAt }) => enteredAt > instant).length
}

function asVisit(value: unknown): Visit {
  if (typeof value !== 'object' || value === null) throw new Error(`not a visit: ${JSON.stringify(value)}`)
  const field = (name: string): unknown => Reflect.get(value, name)
  return {
    name: String(field('name')),
    enteredAt: Number(field('enteredAt')),
    leftAt: Number(field('leftAt')),
    token: Number(field('token')),
    end: String(field('end')),
  }
}
