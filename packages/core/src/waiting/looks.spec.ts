import { Looks } from './readiness.js'

/** How many of so many requests of one waiter are carried out at once. */
function carriedOut(looks: Looks, requests: number, onLook: (waiter: object) => void): number {
  const waiter = {}
  let count = 0
  for (let n = 0; n < requests; n++)
    looks.request(waiter, () => {
      count++
      onLook(waiter)
    })
  return count
}

let looks: Looks
beforeEach(() => (looks = new Looks()))
afterEach(() => looks.close())

it('carries out a bounded number of looks that find nothing', () => {
  const count = carriedOut(looks, 5_000, () => undefined)
  expect(count).toBeGreaterThan(0)
  expect(count).toBeLessThan(500)
  expect(carriedOut(looks, 5_000, () => undefined)).toBeLessThan(500)
})

it('does not count looks that find a change, whichever waiters they are of', () => {
  expect(carriedOut(looks, 5_000, (waiter) => looks.foundChange(waiter))).toBe(5_000)
  expect(carriedOut(looks, 100, () => undefined)).toBe(100)
})

it('gives back no more than a look has taken', () => {
  const waiter = {}
  looks.request(waiter, () => undefined)
  for (let n = 0; n < 5_000; n++) looks.foundChange(waiter)
  expect(carriedOut(looks, 5_000, () => undefined)).toBeLessThan(500)
})
