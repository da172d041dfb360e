import type { FaultProxy } from '@holdfast/testkit'
import type { FaultKind } from './fault-kind.js'
import { seatOf } from './scene.js'

/** Does something to every link of the process that is hit. */
function onLinks(
  disturbs: FaultKind['disturbs'],
  breakIt: (proxy: FaultProxy) => void | Promise<void>,
  mend?: (proxy: FaultProxy) => void | Promise<void>,
): FaultKind {
  return {
    disturbs,
    async inject(scene, planned) {
      const { links } = seatOf(scene, planned)
      await links.all(breakIt)
      return mend ? () => links.all(mend) : 'over'
    },
  }
}

/** Scripts on the four keys of one lock. */
const asksOrReleases = /^EVALSHA \w+ 4 /i

/** Loses the reply to the next ask or release: the command ran, its sender does not know. */
const loseReply: FaultKind = {
  disturbs: 'target',
  inject(scene, planned) {
    const { proxies } = seatOf(scene, planned).links
    let isOver = false
    // A request that comes after the fault is over keeps its reply, and the order waits on without harm.
    for (const proxy of proxies) void proxy.loseReply((request) => !isOver && asksOrReleases.test(request))
    return Promise.resolve(() => {
      isOver = true
    })
  },
}

/** Faults of one process's links to all servers. */
export const linkFaults = {
  delay: onLinks(
    'nobody',
    (proxy) => {
      proxy.delay(15)
    },
    (proxy) => {
      proxy.delay(0)
    },
  ),
  jitter: onLinks(
    'nobody',
    (proxy) => {
      proxy.delay(2, { jitterMs: 25 })
    },
    (proxy) => {
      proxy.delay(0)
    },
  ),
  narrow: onLinks(
    'target',
    (proxy) => {
      proxy.bandwidth(8_000)
    },
    (proxy) => {
      proxy.bandwidth(Infinity)
    },
  ),
  blackHole: onLinks(
    'target',
    (proxy) => proxy.blackHole('both'),
    (proxy) => proxy.heal(),
  ),
  blackHoleToServer: onLinks(
    'target',
    (proxy) => proxy.blackHole('toServer'),
    (proxy) => proxy.heal(),
  ),
  blackHoleToClient: onLinks(
    'target',
    (proxy) => proxy.blackHole('toClient'),
    (proxy) => proxy.heal(),
  ),
  droppedBytes: onLinks(
    'target',
    (proxy) => proxy.blackHole('both', { drop: true }),
    (proxy) => proxy.heal(),
  ),
  reset: onLinks('target', (proxy) => proxy.cut()),
  refused: onLinks(
    'target',
    async (proxy) => {
      await proxy.refuse()
      proxy.cut()
    },
    (proxy) => proxy.accept(),
  ),
  loseReply,
} satisfies Record<string, FaultKind>
