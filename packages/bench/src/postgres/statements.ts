import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresServer } from '@holdfast/testkit'
import type { Pace } from '../tasks/cycles.js'

/** By then every session has read a changed setting. */
const reloadMs = 100

/**
 * How many statements clients send per cycle while `run` runs; what functions run does not count. The server writes each
 * into its log meanwhile, so do not time anything that runs here.
 */
export async function statementsPerCycle(server: PostgresServer, run: () => Promise<Pace>): Promise<number> {
  await setLogging(server, 'all')
  try {
    const before = await server.log()
    const { cycles } = await run()
    const after = await server.log()
    const logged = after.slice(before.length).match(/^LOG: +(?:execute|statement)\b/gm)
    return (logged?.length ?? 0) / cycles
  } finally {
    await setLogging(server, 'none')
  }
}

async function setLogging(server: PostgresServer, statements: 'all' | 'none'): Promise<void> {
  await server.query(`alter system set log_statement = '${statements}'`)
  await server.query('select pg_reload_conf()')
  await sleep(reloadMs)
}
