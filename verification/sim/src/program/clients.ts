import { InProcessLink, linkedEngine, type Link, type Network } from '@holdfast/conformance'
import { Holdfast, HoldfastQuorum, redisEngine, type ClientOptions } from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import { documentEngine } from '@holdfast/stores/documents'
import { sessionQueue } from '@holdfast/stores/sessions'
import { MemoryStore, queueTraits } from '../stores/index.js'
import type { RedisWay } from '../redis/way.js'
import { linkedDocuments } from './linked-documents.js'
import { SimRedisClient } from './redis-client.js'
import type { SimStore } from './stores.js'

/** A client, and its links to all of its stores. */
export interface LinkedClient {
  readonly client: Holdfast | HoldfastQuorum
  readonly links: readonly Link[]
}

/** A store, and the way to it. */
export type Reach = StoreReach | { readonly way: RedisWay }

interface StoreReach {
  readonly store: SimStore
  readonly network: Network
}

type Options = ClientOptions & { readonly watchdogTimeoutMs: number; readonly commandTimeoutMs: number }

/** A client of one store, or of several, of which a majority must confirm its locks. */
export function openClient(reaches: readonly Reach[], options: Options): LinkedClient {
  const linked = reaches.map(behindLink)
  const links = linked.map(({ link }) => link)
  const [only] = linked
  if (only && linked.length === 1)
    return { client: quiet(new Holdfast({ ...options, engine: only.engine })), links }
  const { commandTimeoutMs: memberTimeoutMs, label, watchdogTimeoutMs } = options
  const masters = linked.map(({ engine }) => ({ engine }))
  return {
    client: quiet(new HoldfastQuorum({ memberTimeoutMs, label, watchdogTimeoutMs, masters })),
    links,
  }
}

function behindLink(reach: Reach): { readonly engine: LockEngine; readonly link: Link } {
  if (!('way' in reach)) return storeBehindLink(reach)
  const { way } = reach
  const redis = new SimRedisClient(way.address, (events) => way.dial(events))
  return { engine: redisEngine({ redis }), link: way }
}

function storeBehindLink({ store, network }: StoreReach): {
  readonly engine: LockEngine
  readonly link: Link
} {
  switch (store.engine) {
    case 'memory': {
      const { engine, link } = linkedEngine(store.memory, 1, network)
      const { traits } = engine
      // Its leases and deadlines are measured by different clocks here.
      const lease = { ...traits.lease, marginMs: 2 }
      return { engine: { ...engine, traits: { ...traits, lease } }, link }
    }
    case 'documents': {
      const link = new InProcessLink('documents', 1, network)
      return { engine: documentEngine(linkedDocuments(store.table, link)), link }
    }
    case 'sessions': {
      const link = new InProcessLink('queues', 1, network)
      const { queues } = store
      const engine = sessionQueue({
        name: 'queues',
        traits: queueTraits,
        open: (host, events) => new MemoryStore(queues, link, host, events),
      })
      return { engine, link }
    }
  }
}

/** Outages are expected: each call says what it came to. */
function quiet<C extends Holdfast | HoldfastQuorum>(client: C): C {
  client.on('error', () => undefined)
  client.on('warning', () => undefined)
  return client
}
