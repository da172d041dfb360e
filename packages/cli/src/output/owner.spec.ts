import { describeOwner } from './owner.js'

const client = { host: 'web-1', pid: 812, label: 'shop', startedAt: new Date(0) }

it.each([
  ['c1:7', 'web-1, pid 812, shop (c1:7)'],
  ['c1:7:ticket:x-_0', 'handed over by web-1, pid 812, shop (c1:7:ticket:x-_0)'],
])('%s is shown with its process, and whether that has handed the lock over', (owner, text) => {
  expect(describeOwner({ owner, client })).toBe(text)
  expect(describeOwner({ owner, client: null })).toBe(text.replace(/web-1.*\((.*)\)/, '$1'))
})
