import { LeaseSet, type OpenLease } from './lease-set.js'

const leaseOf = (needs: number): OpenLease => ({
  kind: 'semaphore',
  needs,
  isRenewed: true,
  limitAt: Infinity,
  abort: () => undefined,
})

it('a lease that has left already takes no other along', () => {
  const leases = new LeaseSet()
  const [left, open] = [leaseOf(1), leaseOf(2)]
  leases.add(left)
  leases.add(open)
  leases.delete(left)
  leases.delete(left)
  expect([leases.count, leases.needs]).toEqual([1, 2])
})
