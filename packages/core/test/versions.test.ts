import { uniqueName } from '@holdfast/testkit'
import { closeAll, openReadyClient } from './support/clients.js'
import { nextEvent } from './support/next-event.js'
import { ownRedis } from './support/own-redis.js'
import {
  kinds,
  objectOf,
  RecordedClient,
  recordedVersions,
  recordOnce,
  type Kind,
} from './support/recorded-client.js'

// docs/start/versions.md promises this of any two versions. HOLDFAST_RECORD=0.2 records how the sources talk now, as version 0.2.
const { HOLDFAST_RECORD: version } = process.env
const server = ownRedis()

afterEach(closeAll)

/** What excludes that kind, and is excluded by it. */
const rivalOf = (kind: Kind): Kind => (kind === 'read lock' ? 'write lock' : kind)

if (version !== undefined) it('is recorded', () => recordOnce(version, server.url))

describe.each(version === undefined ? recordedVersions : [version])(
  'beside a client of version %s',
  (recorded) => {
    it.each(kinds)(
      'a client waits for a %s that the other holds, and is granted it at its release',
      async (kind) => {
        const name = uniqueName('rolling')
        const [older, holdfast] = [
          new RecordedClient(recorded, server.url),
          await openReadyClient(server.url),
        ]
        const object = objectOf(holdfast, rivalOf(kind), name)
        expect(await older.acquire(kind, name)).toBe(true)
        expect(await object.tryAcquire()).toBeNull()
        const queued = nextEvent(holdfast, 'waiting')
        const waiting = object.acquire({ waitMs: 20_000 })
        await queued
        expect(await older.renew(kind, name)).toBe(true)
        const granted = nextEvent(holdfast, 'granted')
        await older.release(kind, name)
        await granted
        expect(await older.renew(kind, name)).toBe(false)
        await (await waiting).release()
      },
    )

    it.each(kinds)(
      'a %s goes to the other when the client releases it, with a message that the other understands',
      async (kind) => {
        const name = uniqueName('rolling')
        const [older, holdfast] = [
          new RecordedClient(recorded, server.url),
          await openReadyClient(server.url),
        ]
        const object = objectOf(holdfast, rivalOf(kind), name)
        const held = await object.acquire()
        await older.subscribe()
        expect(await older.acquire(kind, name)).toBe(false)
        await held.release()
        await older.untilGranted(kind, name)
        expect(await older.renew(kind, name)).toBe(true)
        expect(await object.tryAcquire()).toBeNull()
        await older.release(kind, name)
        await (await object.acquire({ waitMs: 20_000 })).release()
      },
    )

    it.each(kinds)('a %s passes the queue entry of the other when its process has died', async (kind) => {
      const name = uniqueName('rolling')
      const [dead, holdfast] = [new RecordedClient(recorded, server.url), await openReadyClient(server.url)]
      const object = objectOf(holdfast, rivalOf(kind), name)
      const held = await object.acquire()
      expect(await dead.acquire(kind, name)).toBe(false)
      const queued = nextEvent(holdfast, 'waiting')
      const waiting = object.acquire({ waitMs: 20_000 })
      await queued
      const granted = nextEvent(holdfast, 'granted')
      await held.release()
      await granted
      await (await waiting).release()
      expect(await dead.renew(kind, name)).toBe(false)
    })
  },
)
