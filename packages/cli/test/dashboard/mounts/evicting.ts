import type { Holdfast } from '@holdfast/core'
import { createDashboard, type Dashboard } from '@holdfast/cli/dashboard'

/** Whatever your application knows of a signed-in user. */
interface User {
  readonly email: string
  readonly isAdmin: boolean
}

type SignedIn = (cookie: string | null) => Promise<User | null>

/** All who are signed in see the dashboard; administrators may evict holders. */
export const dashboardFor = (holdfast: Holdfast, signedIn: SignedIn): Dashboard =>
  createDashboard({
    holdfast,
    readOnly: false,
    authorize: async (request, action) => {
      const user = await signedIn(request.headers.get('cookie'))
      if (action.type === 'view') return user !== null
      return user?.isAdmin ? user.email : false
    },
    audit: ({ at, by, outcome, name, owner }) =>
      console.warn(`${at.toISOString()} ${by ?? 'unknown'} ${outcome} ${JSON.stringify(name)} of ${owner}`),
  })
