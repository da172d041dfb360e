import { compareLatches } from '@holdfast/model'
import { startPostgres, type PostgresServer } from '@holdfast/testkit'
import { schemaParts } from './steps/functions.js'
import { PostgresLatch } from './steps/postgres-latch.js'

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server.stop())

it('the functions do what a latch in memory does, whatever the steps', async () => {
  await compareLatches(await PostgresLatch.open(server.url, schemaParts), { runs: 300 })
}, 600_000)
