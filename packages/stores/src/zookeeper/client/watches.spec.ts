import { Reader } from './jute.js'
import { eventType, inParts, Watches } from './watches.js'

const xid = -8

it('more watches than fit into a request are sent in several, each below the limit of a server', () => {
  const watches = new Watches()
  const paths = Array.from({ length: 5_000 }, (_, n) => `/holdfast/locks/aa/${'x'.repeat(300)}${n}`)
  for (const path of paths) watches.add('data', path, () => undefined)
  const frames = watches.frames(xid, 7n)
  expect(Math.max(...frames.map(({ length }) => length))).toBeLessThan(200_000)
  const sent = frames.flatMap((frame) => {
    const reader = new Reader(frame.subarray(4))
    expect([reader.int(), reader.int(), reader.long()]).toEqual([xid, 101, 7n])
    return reader.texts()
  })
  expect(sent).toEqual(paths)
})

it('a path that is longer than a part has one of its own', () => {
  expect(inParts(['a', 'x'.repeat(200_000), 'b']).map(({ length }) => length)).toEqual([1, 1, 1])
  expect(inParts([])).toEqual([])
})

it('an event calls back once, of its kind, and not what was forgotten', () => {
  const watches = new Watches()
  const called: string[] = []
  watches.add('data', '/a', () => called.push('data'))
  watches.add('children', '/a', () => called.push('children'))
  watches.add('children', '/a', () => called.push('forgotten'))()
  watches.onEvent(eventType.dataChanged, '/a')
  watches.onEvent(eventType.deleted, '/a')
  watches.onEvent(eventType.deleted, '/a')
  expect(called).toEqual(['data', 'children'])
  expect(watches.frames(xid, 0n)).toEqual([])
})

it('in another session all of them call back', () => {
  const watches = new Watches()
  let count = 0
  for (const path of ['/a', '/b']) watches.add('data', path, () => (count += 1))
  watches.fireAll()
  watches.fireAll()
  expect(count).toBe(2)
})
