import type { DocumentStore } from '../documents/index.js'
import { engineName } from './errors.js'
import type { MemcachedSettings } from './options.js'
import { MemcachedSession } from './session.js'

/** Half of memcached's default limit of one item, 1 MB. */
const maxBytes = 500_000

/** Documents in one memcached. Its clock has whole seconds. */
export const memcachedStore = (settings: MemcachedSettings): DocumentStore => ({
  name: engineName,
  traits: {
    survives: 'nothing',
    ...(settings.mayEvict && { evicts: true }),
    pollMs: settings.pollMs,
    clockStepMs: 1_000,
    maxBytes,
  },
  open: (host) => new MemcachedSession(settings, host),
})
