import { openOwn, type OpenedServer, type Step } from '../find/open-server.js'
import { uniqueName } from '../unique-name.js'
import { findMysql, mysqlKind } from './find-mysql.js'
import { startMysql } from './mysql-server.js'
import { queryMysqlAt } from './query-at.js'

/** The program on this machine. */
const program: Step = async () => {
  const origin = findMysql()
  if (origin === null) return null
  const server = await startMysql()
  return { url: server.url, origin, stop: () => server.stop() }
}

/** An empty database on the server that MYSQL_URL names, whose user may create some, or a server of its own. */
export async function openMysql(): Promise<OpenedServer> {
  const given = process.env['MYSQL_URL']
  if (!given) return openOwn(mysqlKind, program)
  const name = uniqueName('holdfast').toLowerCase()
  const database = new URL(given)
  database.pathname = name
  await queryMysqlAt(given, `create database \`${name}\``)
  const stop = async (): Promise<void> => {
    await queryMysqlAt(given, `drop database if exists \`${name}\``)
  }
  return { url: database.href, origin: 'MYSQL_URL', stop }
}
