import { LeaseSet, type OpenLease } from './lease-set.js'

const leaseOf = (needs: number): OpenLease => ({
  kind: 'semaphore',
  needs,
  isRenewed: true,
  limitAt: Infinity,
  abort: () => undefined,
})

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
  const [early, late] = [
    { ...leaseOf(1), limitAt: 100 },
    { ...leaseOf(1), limitAt: 400 },
  ]
  leases.add(late)
  expect(leases.limitAt).toBe(300)
  leases.add(early)
  expect(leases.limitAt).toBe(100)
  leases.delete(early)
  expect(leases.limitAt).toBe(300)
})
