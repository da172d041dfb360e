import { matchOf } from './operator.js'

it.each([
  ['lock:', '*', '*lock:*'],
  ['lock:', 'order:*', '*lock:order:*'],
  ['lock:', 'order', '*lock:order*'],
  ['lock:', '*:42', '*lock:*:42*'],
  ['', 'a**b', '*a*b*'],
  ['', '?é', '**é*'],
  ['', 'a*b*c*d', '*a*b*'],
  ['app*:', 'x', '*app\\*:x*'],
  ['', '\\*[a]\\\\', '*\\*\\[a\\]\\\\*'],
  ['', 'a\\', '*a*'],
])('after %j the pattern %j becomes %j', (head, pattern, match) => expect(matchOf(head, pattern)).toBe(match))
