import { clientOf, heirOf, isHandedOver, isKept, isOwner, keptBy, numberOf, ownerOf } from './requests.js'

it.each(['used', '', ':1', 'c1:', 'c1:x', 5, undefined, null, ['c1:1']])('%j is not an owner', (given) => {
  expect(isOwner(given)).toBe(false)
  expect(isOwner(ownerOf('c:1', 7))).toBe(true)
})

it('an owner names its client and its number, also when the id of the client has a colon', () => {
  expect(ownerOf('c1', 7)).toBe('c1:7')
  expect(clientOf(ownerOf('c:1', 7))).toBe('c:1')
  expect(numberOf(ownerOf('c:1', 7))).toBe(7)
})

it('an owner that no client acts for names the client that did', () => {
  const [kept, heir] = [keptBy(ownerOf('c:1', 7)), heirOf(ownerOf('c:1', 7), '0-_Az')]
  expect([kept, heir].map(clientOf)).toEqual(['c:1', 'c:1'])
  expect([kept, heir, ownerOf('c:1', 7)].map(isKept)).toEqual([true, true, false])
  expect([kept, heir, ownerOf('c:1', 7)].map(isHandedOver)).toEqual([false, true, false])
  expect([kept, heir, 'c:1:ticket:'].map(isOwner)).toEqual([true, true, false])
})
