import { RefusedError } from '@holdfast/core'
import { onOwnPostgres, startPostgres, type PostgresServer } from '@holdfast/testkit'
import { Clients, failureOf } from './support/clients.js'

const it = onOwnPostgres(globalThis.it)

let server: PostgresServer
const clients = new Clients()

beforeAll(async () => {
  server = await startPostgres()
})

afterEach(() => clients.closeAll())
afterAll(() => server.stop())

const names = ['order:42', 'Müller', '5 €', '日本', '🔑']

/** Which names can be locked in a database with this encoding; all others are refused. */
async function takenWith(encoding: string): Promise<string[]> {
  const database = `in_${encoding.toLowerCase()}`
  await server.query(`create database ${database} encoding '${encoding}' locale 'C' template template0`)
  const { holdfast } = clients.open({ url: server.urlOf({ database }) })
  const taken: string[] = []
  for (const name of names) {
    const locked = holdfast.getLock(name).withLock(() => name)
    if (await locked.then(Boolean, () => false)) taken.push(name)
    else expect(await failureOf(holdfast.getLock(name).lock())).toBeInstanceOf(RefusedError)
  }
  return taken
}

it('a database that is not UTF-8 refuses names with characters that it lacks, and no others', async () => {
  expect(await takenWith('UTF8')).toEqual(names)
  expect(await takenWith('LATIN1')).toEqual(['order:42', 'Müller'])
  expect(await takenWith('SQL_ASCII')).toEqual(names)
})
