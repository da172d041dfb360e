import { possessionOf } from '../../test/support/possession.js'
import { LeaseEntry } from '../ownership/possession.js'
import { LeaseSet } from './lease-set.js'

const address = { name: 'api', id: 'api', group: '' }

const leaseOf = (permits: number, limitAt = Infinity): LeaseEntry =>
  new LeaseEntry(
    possessionOf(address),
    { address, kind: 'semaphore', permits, size: 5 },
    true,
    limitAt,
    undefined,
  )

it('a lease that has left already takes no other along', () => {
  const leases = new LeaseSet(Infinity)
  const [left, open] = [leaseOf(1), leaseOf(2)]
  leases.add(left)
  leases.add(open)
  leases.delete(left)
  leases.delete(left)
  expect([leases.count, leases.needs]).toEqual([1, 2])
})

it('the earliest limit is that of the leases that are open, and of the whole hold', () => {
  const leases = new LeaseSet(300)
  const [early, late] = [leaseOf(1, 100), leaseOf(1, 400)]
  leases.add(late)
  expect(leases.limitAt).toBe(300)
  leases.add(early)
  expect(leases.limitAt).toBe(100)
  leases.delete(early)
  expect(leases.limitAt).toBe(300)
})
