import { buildPeer, LineProcess, NoJavaError, Peer, redissonVersions } from '@holdfast/interop-redisson'
import type { Contender } from '../contender.js'
import type { ContendOrder, Entry, Rivals } from '../tasks/contend.js'

/** Redisson, in JVMs that get only the start and the end of a run and are otherwise left alone. */
export interface Redisson extends Omit<Contender, 'open'> {
  start(url: string, processes: number): Promise<Rivals>
}

const version = redissonVersions.newest
const library = 'Redisson'

export const redisson: Redisson = {
  library,
  settings: `getLock of ${version}; two threads of Redisson and two of Netty, 32 connections`,
  waits: 'notified',
  start,
}

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

async function start(url: string, processes: number): Promise<Rivals> {
  const jar = await buildPeer(version)
  const peers: Peer[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(peers.map((peer) => peer.die()))
  }
  try {
    while (peers.length < processes) {
      const program = new LineProcess(library, 'java', ['-jar', jar])
      peers.push(await Peer.open(library, program, { mode: 'single', addresses: [url] }, { roomy: false }))
    }
  } catch (error) {
    await stop()
    throw error
  }
  return {
    contend: (orders) => Promise.all(peers.map((peer, index) => contend(peer, orders[index]))),
    stop,
  }
}

async function contend(peer: Peer, order: ContendOrder | undefined): Promise<Entry[]> {
  if (!order) return []
  const { entries } = await peer.call({
    op: 'contest',
    task: 'contest',
    lock: order.lock,
    tasks: order.waiters,
    fromMs: order.fromUs / 1_000,
    untilMs: order.untilUs / 1_000,
    fair: false,
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
