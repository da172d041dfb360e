import { Paths, queueOf } from './paths.js'

it.each(['a', '..', 'a/b', '100 %', 'ü~=\0', '*'])('the queue of %j is read back from its node', (name) => {
  const paths = new Paths('/app')
  for (const object of ['lock', 'read-write-lock', 'semaphore'] as const) {
    const found = paths.queue({ name, object })
    expect(found).toMatch(/^\/app\/holdfast\/locks\/[0-9a-f]{2}\/[lws]=[^/]*$/)
    expect(queueOf(found.slice(found.lastIndexOf('/') + 1))).toEqual({ name, object })
  }
})

it.each(['x=a', 'l', '', 'l=%E0%A4'])('%j is not the node of a queue', (name) => {
  expect(queueOf(name)).toBeNull()
})
