import { connect } from 'node:net'
import { once } from 'node:events'
import { killConnections, type MemcachedServer, type MysqlServer } from '@holdfast/testkit'
import { documentsOf } from './fault-context.js'
import type { FaultKind, Heal, Instant } from './fault-kind.js'

/** None of them excuses anything: who held what was lost is out before anybody is in. */
function onServer(inject: (server: MemcachedServer | MysqlServer) => Promise<Heal | Instant>): FaultKind {
  return {
    store: 'document',
    disturbs: 'all',
    hitsServer: true,
    inject: (context) => {
      const { server } = documentsOf(context)
      return inject('mysql' in server ? server.mysql : server.memcached)
    },
  }
}

function onMemcached(inject: (server: MemcachedServer) => Promise<Heal | Instant>): FaultKind {
  return {
    ...{ on: ['memcached'], store: 'document', disturbs: 'all', hitsServer: true },
    inject: (context) => {
      const { server } = documentsOf(context)
      return 'memcached' in server ? inject(server.memcached) : Promise.resolve('missed')
    },
  }
}

function onMysql(inject: (server: MysqlServer) => Promise<Heal | Instant>): FaultKind {
  return {
    ...{ on: ['mysql'], store: 'document', disturbs: 'all', hitsServer: true },
    inject: (context) => {
      const { server } = documentsOf(context)
      return 'mysql' in server ? inject(server.mysql) : Promise.resolve('missed')
    },
  }
}

/** Faults of memcached and of MySQL. */
export const documentFaults = {
  crashDocumentServer: onServer(async (server) => {
    await server.kill()
    return () => server.restart()
  }),
  freezeDocumentServer: onServer(async (server) => {
    await server.freeze()
    return () => server.thaw()
  }),
  flushAll: onMemcached(async (server) => {
    await say(server, 'flush_all\r\n')
    return 'over'
  }),
  /** No document can grow, and none is evicted: it runs with -M. */
  fillMemcached: onMemcached(async (server) => {
    const filled = await fill(server)
    return async () => {
      for (const key of filled) await say(server, `delete ${key}\r\n`)
    }
  }),
  killMysqlConnections: onMysql(async (server) => {
    await killConnections(server)
    return 'over'
  }),
  /** Another session has all rows of the locks locked. */
  lockRows: onMysql(async (server) => {
    const [table] = await server.query(
      "select 1 from information_schema.tables where table_name = 'holdfast'",
    )
    if (!table) return 'missed'
    const over = server.query('select count(*), sleep(0.4) from (select 1) as one join holdfast for update')
    return async () => {
      await over.catch(() => undefined)
    }
  }),
} satisfies Record<string, FaultKind>

const sizes = [400_000, 40_000, 4_000, 1_000, 400]

/** Of every size until the server has no room for more. */
async function fill(server: MemcachedServer): Promise<string[]> {
  const filled: string[] = []
  for (const size of sizes) {
    for (let n = 0; ; n += 1) {
      const key = `fill-${size}-${n}`
      const reply = await say(server, `set ${key} 0 0 ${size}\r\n${'x'.repeat(size)}\r\n`)
      if (!reply.startsWith('STORED')) break
      filled.push(key)
    }
  }
  return filled
}

/** One command on a connection of its own, and the first line of the reply. */
async function say({ host, port }: MemcachedServer, command: string): Promise<string> {
  const socket = connect({ host, port })
  try {
    socket.write(command)
    const [reply] = (await once(socket, 'data')) as [Buffer]
    return reply.toString()
  } finally {
    socket.destroy()
  }
}
