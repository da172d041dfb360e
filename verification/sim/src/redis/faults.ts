import type { FaultKind, Struck } from '../fault-kind.js'
import { RedisGroup } from './group.js'
import type { Line } from './line.js'
import type { RedisServer } from './server.js'
import { RedisWay } from './way.js'

/** The servers that a fault hits. */
function groupOf({ server }: Struck): RedisGroup {
  if (server instanceof RedisGroup) return server
  throw new Error('only Redis has this fault')
}

function wayOf({ link }: Struck): RedisWay {
  if (link instanceof RedisWay) return link
  throw new Error('only Redis has this fault')
}

/** While it lasts the server replies with nothing else. */
const rejections = [
  'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
  'LOADING Redis is loading the dataset in memory',
  'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
] as const

/** What happens to servers of Redis and to connections with them. */
export const redisFaults = {
  /** As `FAILOVER` does: open connections stay where they are. */
  failOver: {
    disturbs: 'all',
    hitsServer: true,
    inject: (struck) => {
      groupOf(struck).failOver()
      return undefined
    },
  },
  /** The master dies. Its replica goes on with what it has, and the other one comes back as its replica. */
  loseMaster: {
    disturbs: 'all',
    excuses: ['exclusion'],
    hitsServer: true,
    inject: (struck) => {
      const group = groupOf(struck)
      const dead = group.master
      stop(dead)
      group.promote()
      return () => {
        start(dead, true)
        group.settle()
      }
    },
  },
  /** The same while its replica was behind. */
  loseMasterAhead: {
    disturbs: 'all',
    excuses: ['exclusion'],
    hitsServer: true,
    inject: (struck) => {
      const group = groupOf(struck)
      const dead = group.master
      group.holdReplication()
      return () => {
        if (group.master === dead) {
          stop(dead)
          group.promote()
          start(dead, true)
        }
        group.settle()
      }
    },
  },
  /** The replica is made a master beside the other one, to which its clients stay connected until it becomes a replica. */
  splitMasters: {
    disturbs: 'all',
    excuses: ['exclusion'],
    hitsServer: true,
    inject: (struck) => {
      const group = groupOf(struck)
      group.promote()
      return () => group.settle()
    },
  },
  holdReplica: {
    disturbs: 'none',
    inject: (struck) => groupOf(struck).holdReplication(),
  },
  restartServer: {
    disturbs: 'all',
    hitsServer: true,
    inject: (struck) => restarted(groupOf(struck), true),
  },
  restartEmpty: {
    disturbs: 'all',
    excuses: ['exclusion'],
    hitsServer: true,
    inject: (struck) => restarted(groupOf(struck), false),
  },
  flushScripts: {
    disturbs: 'none',
    inject: (struck) => {
      groupOf(struck).master.flushScripts()
      return undefined
    },
  },
  killCommands: {
    disturbs: 'target',
    inject: (struck) => {
      kill(wayOf(struck).linesFor(false))
      return undefined
    },
  },
  killSubscriber: {
    disturbs: 'target',
    inject: (struck) => {
      kill(wayOf(struck).linesFor(true))
      return undefined
    },
  },
  killAll: {
    disturbs: 'all',
    hitsServer: true,
    inject: (struck) => {
      groupOf(struck).master.endAll('closed by CLIENT KILL')
      return undefined
    },
  },
  /** A connection breaks, and what was sent on it reaches the server after all, later than what is sent on the next one. */
  strandRequests: {
    disturbs: 'target',
    inject: (struck) => wayOf(struck).strand(),
  },
  /** Somebody who may publish, and cannot read, writes to those that wait. */
  forgeNotices: {
    disturbs: 'none',
    inject: (struck) => {
      forge(groupOf(struck).master)
      return undefined
    },
  },
  /** Holders keep what they hold, and those that are queued their turns. */
  fillMemory: {
    disturbs: 'none',
    inject: (struck) => {
      const { master } = groupOf(struck)
      master.isFull = true
      return () => {
        master.isFull = false
      }
    },
  },
  rejectAll: {
    disturbs: 'all',
    hitsServer: true,
    inject: (struck) => {
      const { master } = groupOf(struck)
      master.rejects = rejections[struck.forMs % rejections.length]
      return () => {
        master.rejects = undefined
      }
    },
  },
  /** The address leads to any of the servers, and the process has to connect again. */
  spreadAddress: {
    disturbs: 'all',
    inject: (struck) => {
      const group = groupOf(struck)
      const way = wayOf(struck)
      group.isSpread = true
      kill([...way.linesFor(true), ...(struck.forMs % 2 === 0 ? way.linesFor(false) : [])])
      return () => {
        group.isSpread = false
      }
    },
  },
} satisfies Record<string, FaultKind>

const kill = (lines: readonly Line[]): void => {
  for (const line of lines) line.server.kill(line, 'closed by CLIENT KILL')
}

/** A queue entry: its last words are the proof and the inbox. */
const queueEntry = /^\d+ \d+ .* (\S+) (\S+)$/

/** Tells all that wait that they need not: that they were granted the lock, with a proof that is none, or that the latch has opened. */
function forge({ database, realm, publish }: RedisServer): void {
  const nowUs = Math.floor(realm.wallMs * 1_000)
  for (const key of database.keys().filter((each) => each.endsWith(':waiters'))) {
    const main = key.replace(/:waiters$/, '')
    const lock = main.replace(/^\{(.*)\}$/, '$1')
    const waiters = database.get(key)
    if (waiters?.type === 'zset')
      for (const inbox of waiters.scores.keys())
        for (const generation of [1, 2]) publish(inbox, `open ${generation} ${main}`)
    if (waiters?.type !== 'hash') continue
    for (const [owner, entry] of waiters.fields) {
      const [, , inbox] = queueEntry.exec(entry) ?? []
      if (inbox === undefined) continue
      publish(inbox, `granted ${owner} forged ${nowUs} ${nowUs} 600 ${lock}`)
      publish(inbox, `entered ${nowUs} ${nowUs} ${owner}:600:forged ${main}`)
      publish(inbox, `revoked ${owner} ${lock}`)
    }
  }
}

function stop(server: RedisServer): void {
  server.isDown = true
  server.endAll('the server was shut down')
}

function start(server: RedisServer, keepsData: boolean): void {
  server.restart(keepsData)
  server.isDown = false
}

function restarted(group: RedisGroup, keepsData: boolean): () => void {
  const { master } = group
  stop(master)
  return () => {
    start(master, keepsData)
    group.settle()
  }
}
