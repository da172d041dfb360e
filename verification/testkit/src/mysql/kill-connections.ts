import type { MysqlServer } from './mysql-server.js'

/** Ends all other connections from the server's side, as an administrator would; resolves with how many there were. */
export async function killConnections(server: Pick<MysqlServer, 'query'>): Promise<number> {
  const rows = await server.query(
    `select id from information_schema.processlist where id <> connection_id() and user not in ('system user', 'event_scheduler')`,
  )
  let killed = 0
  for (const row of rows) {
    const id = Number(row['id'] ?? row['ID'])
    // One may have ended by itself.
    await server.query(`kill ${id}`).then(
      () => (killed += 1),
      () => undefined,
    )
  }
  return killed
}
