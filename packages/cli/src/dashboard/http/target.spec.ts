import { targetOf } from './target.js'

it.each([
  ['/ops/locks/?page=lock&name=a%2Fb', '/ops/locks/', 'lock'],
  ['//ops/locks/', '/ops/locks/', null],
  ['/\\', '/', null],
  ['//', '/', null],
  ['http://[', '/http://[', null],
  ['*', '/*', null],
  ['', '/', null],
  ['?page=a?b', '/', 'a?b'],
])('of %s, path and query are read without an error', (url, pathname, page) => {
  const target = targetOf(url)
  expect([target.pathname, target.searchParams.get('page')]).toEqual([pathname, page])
})
