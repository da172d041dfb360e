import { clientOf, numberOf, ownerOf } from './owner.js'

it('an owner names its client and its number, also when the id of the client has a colon', () => {
  expect(ownerOf('c1', 7)).toBe('c1:7')
  expect(clientOf(ownerOf('c:1', 7))).toBe('c:1')
  expect(numberOf(ownerOf('c:1', 7))).toBe(7)
})
