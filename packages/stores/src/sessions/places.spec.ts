import { addressing, type QueueAddress } from './address.js'
import { Places } from './places.js'
import type { Entry } from './store.js'

const entryOf = (name: string): Entry => ({
  queue: { name, object: 'lock' },
  owner: 'client:1',
  session: 's',
  key: `${name}/1`,
  permits: 1,
  size: 1,
  token: 1,
})

describe('the places of a client', () => {
  it('are different ones in different queues, also for the same owner', async () => {
    const places = new Places()
    for (const name of ['a', 'b']) {
      const address: QueueAddress = { ...addressing.locate(name, 'lock'), name, object: 'lock' }
      await places.run('client:1', address, (place) => {
        expect(place.isEmpty || place.entry === undefined).toBe(true)
        place.entry = entryOf(name)
        return Promise.resolve()
      })
    }
    expect(places.at(entryOf('a'))?.address.name).toBe('a')
    expect(places.find('lock:b', 'client:1')?.entry?.key).toBe('b/1')
    expect(places.find('semaphore:a', 'client:1')).toBeUndefined()
  })
})
