import { readSlots } from './slot-map.js'

const asked = { host: '10.0.0.9', port: 7000 }
const asIs = <T>(address: T): T => address

it('each slot has its master first, and slots that no node has are left out', () => {
  const reply = [
    [0, 1, ['10.0.0.1', 7001, 'id'], ['10.0.0.2', 7002, 'id']],
    [3, 3, ['10.0.0.2', 7002, 'id']],
  ]
  const { slots, masters } = readSlots(reply, asked, asIs)
  expect(slots.slice(0, 5)).toEqual([
    ['10.0.0.1:7001', '10.0.0.2:7002'],
    ['10.0.0.1:7001', '10.0.0.2:7002'],
    undefined,
    ['10.0.0.2:7002'],
    undefined,
  ])
  expect([...masters.keys()]).toEqual(['10.0.0.1:7001', '10.0.0.2:7002'])
  expect(slots).toHaveLength(16_384)
})

it('a node that does not know its own host is where it was asked, and addresses are translated', () => {
  const reply = [
    [0, 0, ['', 7001]],
    [1, 1, [null, 7002]],
  ]
  const { masters } = readSlots(reply, asked, ({ host, port }) => ({ host, port: port + 10_000 }))
  expect([...masters.values()]).toEqual([
    { host: '10.0.0.9', port: 17_001 },
    { host: '10.0.0.9', port: 17_002 },
  ])
})

it('what is no list of slots has none', () => {
  expect(readSlots('OK', asked, asIs).masters.size).toBe(0)
})
