import { PostgresProtocol } from './postgres-protocol.js'

const message = (type: string, body = ''): Buffer => {
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + body.length)
  return Buffer.concat([Buffer.from(type, 'latin1'), length, Buffer.from(body, 'latin1')])
}
const startUp = message('', 'user\0me\0\0')
const statement = (sql: string): Buffer => Buffer.concat([message('P', sql), message('E'), message('S')])
const ready = message('Z', 'I')

it('splits what a client sends into its start and its statements, byte by byte too', () => {
  const bytes = Buffer.concat([startUp, statement('select 1'), statement('select 2'), message('X')])
  const protocol = new PostgresProtocol()
  const requests = [...bytes].flatMap((byte) => [...protocol.push(Buffer.from([byte]))])
  expect(requests.map((request) => request.bytes)).toEqual([
    startUp,
    statement('select 1'),
    statement('select 2'),
    message('X'),
  ])
  expect([...new PostgresProtocol().push(bytes)]).toHaveLength(4)
})

it('a reply is lost once the server has carried out its request, and those before', () => {
  const protocol = new PostgresProtocol()
  expect([...protocol.push(Buffer.concat([startUp, statement('select 1')]))]).toHaveLength(2)
  protocol.seeReply(ready)
  const [lost] = protocol.push(statement('select 2'))
  const loss = protocol.loseNext()
  expect(lost && loss.wrap(lost.bytes)).toEqual(statement('select 2'))
  expect(loss.pass(Buffer.concat([message('T'), ready]))).toHaveLength(0)
  expect(loss.done).toBe(false)
  loss.pass(ready)
  expect(loss.done).toBe(true)
})
