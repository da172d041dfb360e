import { MysqlProtocol } from './mysql-protocol.js'

const packet = (sequence: number, body: string): Buffer =>
  Buffer.concat([Buffer.from([body.length, 0, 0, sequence]), Buffer.from(body, 'latin1')])
const statement = (sql: string): Buffer => packet(0, `\x03${sql}`)

it('splits what a client sends into its packets, byte by byte too', () => {
  const packets = [packet(1, 'let me in'), statement('select 1'), statement('update t set a = 1')]
  const protocol = new MysqlProtocol()
  const requests = [...Buffer.concat(packets)].flatMap((byte) => [...protocol.push(Buffer.from([byte]))])
  expect(requests.map(({ bytes }) => bytes)).toEqual(packets)
  expect(requests.at(-1)?.text).toBe('update t set a = 1')
  expect([...new MysqlProtocol().push(Buffer.concat(packets))]).toHaveLength(3)
})

it('the rest of an incomplete packet is there when the connection ends', () => {
  const protocol = new MysqlProtocol()
  const [...none] = protocol.push(statement('select 1').subarray(0, 6))
  expect(none).toEqual([])
  expect(protocol.takeRest()).toEqual(statement('select 1').subarray(0, 6))
})

it('a reply is lost once the server has begun with it', () => {
  const loss = new MysqlProtocol().loseNext()
  expect(loss.done).toBe(false)
  expect(loss.pass(packet(1, '\0\x01'))).toHaveLength(0)
  expect(loss.done).toBe(true)
})
