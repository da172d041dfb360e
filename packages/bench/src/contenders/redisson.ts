import { buildPeer, LineProcess, NoJavaError, Peer, redissonVersions } from '@holdfast/interop-redisson'
import type { Rivals } from '../rivals.js'
import type { ContendOrder, Entry } from '../tasks/contend.js'

/** Redisson, in JVMs that get only the start and the end of a run and are otherwise left alone. */
export interface Redisson {
  readonly title: string
  readonly isDefaults: boolean
  readonly settings: string
  readonly start: (url: string, processes: number) => Promise<Rivals>
}

const version = redissonVersions.newest

interface Configuration {
  readonly roomy: boolean
  readonly fair: boolean
}

const redisson = (title: string, settings: string, configuration: Configuration): Redisson => ({
  title,
  isDefaults: configuration.roomy,
  settings,
  start: (url, processes) => startRivals(title, url, processes, configuration),
})

export const redissons: readonly Redisson[] = [
  redisson('Redisson', `getLock of ${version}; two threads of Redisson and two of Netty, 32 connections`, {
    roomy: false,
    fair: false,
  }),
  redisson('Redisson, defaults', `getLock of ${version}, no options`, { roomy: true, fair: false }),
  redisson('Redisson, fair lock', `getFairLock of ${version}; threads and connections as in Redisson`, {
    roomy: false,
    fair: true,
  }),
]

/** Why Redisson cannot be measured on this machine; `null` if it can. Builds its program if necessary. */
export async function whyNoRedisson(): Promise<string | null> {
  try {
    await buildPeer(version)
    return null
  } catch (error) {
    if (error instanceof NoJavaError) return error.message
    throw error
  }
}

async function startRivals(
  title: string,
  url: string,
  processes: number,
  { roomy, fair }: Configuration,
): Promise<Rivals> {
  const jar = await buildPeer(version)
  const peers: Peer[] = []
  const stop = async () => {
    await Promise.all(peers.map((peer) => peer.die()))
  }
  try {
    while (peers.length < processes) {
      const program = new LineProcess(title, 'java', ['-jar', jar])
      peers.push(await Peer.open(title, program, { mode: 'single', addresses: [url] }, { roomy }))
    }
  } catch (error) {
    await stop()
    throw error
  }
  return {
    title,
    contend: (orders) => Promise.all(peers.map((peer, index) => contend(peer, orders[index], fair))),
    stop,
  }
}

async function contend(peer: Peer, order: ContendOrder | undefined, fair: boolean): Promise<Entry[]> {
  if (!order) return []
  const { entries } = await peer.call({
    op: 'contest',
    task: 'contest',
    lock: order.lock,
    tasks: order.waiters,
    fromMs: order.fromUs / 1_000,
    untilMs: order.untilUs / 1_000,
    fair,
  })
  if (!Array.isArray(entries)) throw new Error(`${peer.name} returned no entries`)
  return entries.map(entryOf)
}

function entryOf(value: unknown): Entry {
  const [waiter, requestedAtMs, enteredAtMs] = Array.isArray(value) ? value.map(Number) : []
  if (waiter === undefined || requestedAtMs === undefined || enteredAtMs === undefined)
    throw new Error(`not an entry: ${JSON.stringify(value)}`)
  return [waiter, requestedAtMs * 1_000, enteredAtMs * 1_000]
}
