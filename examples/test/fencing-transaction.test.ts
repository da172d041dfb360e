import { startPostgres, until, type PostgresServer } from '@holdfast/testkit'
import { startProgram, type Program } from './program.js'

let server: PostgresServer
let program: Program | undefined

beforeAll(async () => {
  server = await startPostgres()
})

afterEach(async () => {
  await program?.[Symbol.asyncDispose]()
  program = undefined
})

afterAll(() => server.stop())

const schemas = async (): Promise<string[]> => {
  const rows = await server.query("select nspname from pg_namespace where nspname like 'price\\_list%'")
  return rows.map(({ nspname }) => String(nspname))
}

it('a frozen job overwrites the next one, unless its transaction is fenced or checks a version', async () => {
  const example = (program = startProgram('fencing-transaction', { PG_URL: server.url }))
  const { code, stdout, stderr } = await example.ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const outcomes = stdout.split('\n\n').map((part) => ({
    a: /A thaws and publishes: (.*)/.exec(part)?.[1],
    b: /B publishes: (.*)/.exec(part)?.[1],
    price: /The price of coffee is (\d+)/.exec(part)?.[1],
  }))
  const [, unchecked, fenced, versioned] = outcomes
  expect(unchecked).toEqual({ a: 'committed', b: 'committed', price: '200' })
  expect(fenced).toEqual({ a: 'rolled back, LockLostError', b: 'committed', price: '300' })
  expect(versioned).toEqual({
    a: 'rolled back, Error: another version has been published since',
    b: 'committed',
    price: '300',
  })
  expect(await schemas()).toEqual([])
  await until(async () => (await example.processes()).length === 0, { what: 'the group to be empty' })
})

it('Ctrl-C leaves no schema and no process', async () => {
  const example = (program = startProgram('fencing-transaction', { PG_URL: server.url }))
  await example.prints(/is frozen/)
  expect(await schemas()).toHaveLength(2)
  example.signal('SIGINT')
  expect(await example.ended).toMatchObject({ code: 130 })
  expect(await schemas()).toEqual([])
  await until(async () => (await example.processes()).length === 0, { what: 'the group to be empty' })
})
