/** The size of the sale. */
export const figures = {
  vouchers: 50,
  users: 200,
  /** Impatient users click more than once, and the load balancer sends each click to another process. */
  clicksPerUser: 3,
  shops: 4,
  /** Requests that one shop process serves at the same time. */
  requestsAtOnce: 16,
} as const

export const requests = figures.users * figures.clicksPerUser

/** The users whose clicks reach the n-th shop, in the order of their clicks. */
export function usersAtShop(n: number): string[] {
  const users: string[] = []
  for (let request = n; request < requests; request += figures.shops) {
    users.push(`user-${Math.floor(request / figures.clicksPerUser)}`)
  }
  return users
}

/** `naive`: check, then write. `holdfast`: the same code inside a lock. */
export const variants = ['naive', 'holdfast'] as const
export type Variant = (typeof variants)[number]
