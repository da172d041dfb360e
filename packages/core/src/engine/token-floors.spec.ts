import { TokenFloors } from './lock-steps.js'

it('the largest token of an object is its floor, and of no other object', () => {
  const floors = new TokenFloors()
  floors.saw('a', 7)
  floors.saw('a', 5)
  expect([floors.of('a'), floors.of('b')]).toEqual([7, 0])
})

it('objects that go on being used keep their floors, whatever number of others come and go', () => {
  const floors = new TokenFloors()
  for (let n = 0; n < 10_000; n += 1) {
    if (n % 500 === 0) floors.saw('used', n)
    floors.saw(`other ${n}`, 1)
  }
  expect(floors.of('used')).toBe(9_500)
  expect(floors.of('other 0')).toBe(0)
})
