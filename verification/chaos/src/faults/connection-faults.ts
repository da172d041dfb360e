import type { FaultProxy } from '@holdfast/testkit'
import type { ObjectName } from '../objects.js'
import type { StoreName } from '../topologies.js'
import type { FaultKind } from './fault-kind.js'
import { targetProcess } from './fault-context.js'

async function all(
  proxies: readonly FaultProxy[],
  act: (proxy: FaultProxy) => void | Promise<void>,
): Promise<void> {
  await Promise.all(proxies.map(async (proxy) => act(proxy)))
}

/** A fault of every proxied connection of the target process. */
function onConnections(
  disturbs: FaultKind['disturbs'],
  inject: (proxy: FaultProxy) => void | Promise<void>,
  heal?: (proxy: FaultProxy) => void | Promise<void>,
): FaultKind {
  return {
    disturbs,
    async inject(context, plan) {
      const { proxies } = targetProcess(context, plan).route
      await all(proxies, inject)
      return heal ? () => all(proxies, heal) : 'over'
    },
  }
}

/**
 * Scripts on the four keys of one lock, and the one that sets its count: a key, an owner and two numbers. Those of one object
 * that several hold at once have six keys, a multi lock requests two locks with eight, and those of a latch have two or three.
 */
const requestsOrReleases: Readonly<Record<ObjectName, RegExp>> = {
  lock: /^EVALSHA \w+ (4 |1 \S+ \S+ \d+ \d+$)/i,
  'read-write-lock': /^EVALSHA \w+ 6 /i,
  semaphore: /^EVALSHA \w+ 6 /i,
  latch: /^EVALSHA \w+ [23] /i,
  'multi-lock': /^EVALSHA \w+ ([48] |1 \S+ \S+ \d+ \d+$)/i,
  quorum: /^EVALSHA \w+ (4 |1 \S+ \S+ \d+ \d+$)/i,
  'hand-over': /^EVALSHA \w+ (4 |1 \S+ \S+ \d+ \d+$)/i,
}

/** The functions of PostgreSQL that do the same, whatever the object. */
const calls = /select \* from "\w+"\.\w*(acquire|release|latch|take_over)\w*\(/

/** Entries made and removed in ZooKeeper, and transactions of etcd. */
const writes = /^(create|delete|setData|multi) |holdfast\//

/** Documents written in memcached and MySQL. */
const replacements = /^(add|cas|md) |^(insert|update|delete)/i

const requestsAt: Readonly<Record<StoreName, (object: ObjectName) => RegExp>> = {
  redis: (object) => requestsOrReleases[object],
  postgres: () => calls,
  session: () => writes,
  document: () => replacements,
}

/** Loses the reply to the next acquire request, re-entry or release: the command ran, but its sender does not know. */
const loseReply: FaultKind = {
  disturbs: 'target',
  inject(context, plan) {
    const { proxies } = targetProcess(context, plan).route
    const wanted = requestsAt[context.testbed.topology.store](context.object)
    let isOver = false
    // After the fault no request matches any more, so the pending loss stays without effect.
    for (const proxy of proxies) void proxy.loseReply((request) => !isOver && wanted.test(request))
    return Promise.resolve(() => {
      isOver = true
    })
  },
}

/** Faults of one process's connections to all servers. */
export const connectionFaults = {
  delay: onConnections(
    'none',
    (proxy) => proxy.delay(15),
    (proxy) => proxy.delay(0),
  ),
  jitter: onConnections(
    'none',
    (proxy) => proxy.delay(2, { jitterMs: 25 }),
    (proxy) => proxy.delay(0),
  ),
  narrow: onConnections(
    'target',
    (proxy) => proxy.bandwidth(8_000),
    (proxy) => proxy.bandwidth(Infinity),
  ),
  blackHole: onConnections(
    'target',
    (proxy) => proxy.blackHole('both'),
    (proxy) => proxy.heal(),
  ),
  blackHoleToServer: onConnections(
    'target',
    (proxy) => proxy.blackHole('toServer'),
    (proxy) => proxy.heal(),
  ),
  blackHoleToClient: onConnections(
    'target',
    (proxy) => proxy.blackHole('toClient'),
    (proxy) => proxy.heal(),
  ),
  droppedBytes: onConnections(
    'target',
    (proxy) => proxy.blackHole('both', { drop: true }),
    (proxy) => proxy.heal(),
  ),
  reset: onConnections('target', (proxy) => proxy.cut()),
  refused: onConnections(
    'target',
    async (proxy) => {
      await proxy.refuse()
      proxy.cut()
    },
    (proxy) => proxy.accept(),
  ),
  loseReply,
} satisfies Record<string, FaultKind>
