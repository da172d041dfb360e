import { sessionQueue } from '@holdfast/session-queue'
import { exploreOrders, scenarios } from './support/scenarios.js'

// What clients of a store with sessions do, with their requests and replies in many orders. Nobody is in who must not be, tokens grow, and
// everyone gets in at last.

describe('in every order of requests and replies that was tried', () => {
  it.each(scenarios)('$title', async (scenario) => {
    expect(await exploreOrders(scenario, sessionQueue)).toEqual([])
  })
})
