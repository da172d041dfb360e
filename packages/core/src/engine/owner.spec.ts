import { clientOf, isOwner, numberOf, ownerOf } from './requests.js'

it.each(['used', '', ':1', 'c1:', 'c1:x', 5, undefined, null, ['c1:1']])('%j is not an owner', (given) => {
  expect(isOwner(given)).toBe(false)
  expect(isOwner(ownerOf('c:1', 7))).toBe(true)
})

it('an owner names its client and its number, also when the id of the client has a colon', () => {
  expect(ownerOf('c1', 7)).toBe('c1:7')
  expect(clientOf(ownerOf('c:1', 7))).toBe('c:1')
  expect(numberOf(ownerOf('c:1', 7))).toBe(7)
})
