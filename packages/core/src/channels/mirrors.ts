import type { EventMirrors } from '../events/events.js'
import { isPointObserved, publishPoint } from './channels.js'
import type { ClientContext } from './contexts.js'

/** Publishes some events of a client to the whole process as well. */
export const mirrorsOf = (client: ClientContext): EventMirrors => ({
  granted: {
    isWanted: () => isPointObserved('granted'),
    publish: (event) => publishPoint('granted', { ...client, ...event }),
  },
  lost: {
    isWanted: () => isPointObserved('lost') || isPointObserved('revoked'),
    publish: (event) => {
      const message = { ...client, ...event }
      publishPoint('lost', message)
      if (event.error.reason === 'revoked') publishPoint('revoked', message)
    },
  },
  warning: {
    isWanted: () => isPointObserved('warning'),
    publish: (event) => publishPoint('warning', { ...client, ...event }),
  },
  error: {
    isWanted: () => isPointObserved('error'),
    publish: (error) => publishPoint('error', { ...client, error }),
  },
})
