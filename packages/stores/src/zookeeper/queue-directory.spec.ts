import { LastListed } from '../sessions/index.js'
import { entryPrefix, shrunkPath } from './paths.js'
import { byArrival, newSizePrefix, readDirectory } from './queue-directory.js'

const queue = { name: 'order:42', object: 'semaphore' } as const
const path = '/q'
const node = (owner: string, sequence: string, permits = 1): string =>
  `${entryPrefix(owner, 's1', { permits, size: 40 })}${sequence}`
const ownersIn = (names: readonly string[]): string[] =>
  readDirectory(queue, path, names, new LastListed(byArrival)).entries.map(({ owner }) => owner)

it('names of nodes say what an entry wants, whatever its owner is called', () => {
  const { entries } = readDirectory(
    queue,
    path,
    [node('a~b=c/d:1', '0000000007', 36)],
    new LastListed(byArrival),
  )
  expect(entries).toMatchObject([{ owner: 'a~b=c/d:1', session: 's1', permits: 36, size: 40, token: 0 }])
})

it('lists in the order of arrival, also where the sequence number has wrapped', () => {
  const nodes = [
    node('c', '-2147483648'),
    node('a', '2147483646'),
    node('d', '-2147483647'),
    node('b', '2147483647'),
  ]
  expect(ownersIn(nodes)).toEqual(['a', 'b', 'c', 'd'])
})

it('an entry that gave back permits has as many as the last of its notes says, and one that is gone none', () => {
  const held = node('a', '0000000001', 5)
  const gone = node('b', '0000000000', 5)
  const { entries } = readDirectory(
    queue,
    path,
    [`${held}=3`, held, `${held}=2`, `${gone}=1`],
    new LastListed(byArrival),
  )
  expect(entries).toMatchObject([{ owner: 'a', permits: 2, key: `${path}/${held}` }])
  expect(entries.map(shrunkPath)).toEqual([`${path}/${held}=2`])
})

it('the last size is in force, and no name of one is ever used again', () => {
  const sizes = ['=zz~0000000003', '=aa~0000000012', '=bb~0000000011']
  expect(readDirectory(queue, path, sizes, new LastListed(byArrival)).sizePath).toBe('/q/=aa~0000000012')
  expect(newSizePrefix()).not.toBe(newSizePrefix())
})
