import { startMysql } from '@holdfast/testkit'
import type { Servers } from './servers.js'

/** As they are by default where they matter: each commit is on disk. */
const settings = {
  innodb_flush_log_at_trx_commit: '1',
  innodb_buffer_pool_size: '128M',
  max_connections: '600',
}

/** Runs the callback with a new MySQL or MariaDB, which all contenders share: each has a table, or none. */
export async function onMysql<T>(
  use: (servers: Pick<Servers, 'urlOf' | 'sentPerCycle'>) => Promise<T>,
): Promise<T> {
  await using server = await startMysql({ settings })
  return await use({
    urlOf: () => server.url,
    // The server writes each statement into a file meanwhile.
    async sentPerCycle(_, run) {
      const count = async (): Promise<number> =>
        (await server.statements().catch(() => '')).match(/ Query\t/g)?.length ?? 0
      const before = await count()
      await server.query('set global general_log = 1')
      const { cycles } = await run()
      await server.query('set global general_log = 0')
      // The one that turns it off is among them.
      return ((await count()) - before - 1) / cycles
    },
  })
}
