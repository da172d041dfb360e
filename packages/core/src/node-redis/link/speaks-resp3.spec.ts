import { createClient } from 'redis'
import { createClient as createClient5 } from 'redis5'
import { speaksResp3 } from './speaks-resp3.js'

it('version 6 speaks RESP3 unless told otherwise, and 5 does not, whatever the client is set to', () => {
  expect(speaksResp3(createClient({ RESP: 2 }))).toBe(true)
  expect(speaksResp3(createClient5({ RESP: 3 }))).toBe(false)
})

it('a version 6 that throws when it is destroyed before it was connected, as 6.0 does, is one all the same', () => {
  const template = createClient()
  const duplicate = template.duplicate.bind(template)
  Object.defineProperty(template, 'duplicate', {
    value: (options: object) =>
      Object.defineProperty(duplicate(options), 'destroy', {
        value: () => {
          throw new Error('The client is closed')
        },
      }),
  })
  expect(speaksResp3(template)).toBe(true)
})
