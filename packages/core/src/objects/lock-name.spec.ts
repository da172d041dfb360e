import { InvalidArgumentError } from '../errors/errors.js'
import { checkName } from '../options/checks.js'

const refused = (name: unknown) => {
  try {
    checkName(name)
    return undefined
  } catch (error) {
    return error
  }
}

it.each(['a', ' ', 'x'.repeat(1024), 'é'.repeat(512), 'a/b\0c', '🔒'])('a name may be %j', (name) =>
  expect(refused(name)).toBeUndefined(),
)

it.each([
  ['', /name must be a non-empty string, got ''/],
  ['x'.repeat(1025), /name must be at most 1024 bytes, got 1025; lockName\(text\) makes/],
  ['é'.repeat(513), /1024 bytes, got 1026/],
  ['a\ud800b', /well-formed Unicode, got 'a\\ud800b'; lockName\(text\) makes/],
  ['\udd12\ud83d', /well-formed Unicode/],
  [undefined, /non-empty string/],
  [null, /non-empty string/],
  [42, /non-empty string, got 42/],
  [42n, /non-empty string, got 42n/],
  [Symbol('a'), /non-empty string, got Symbol\(a\)/],
  [{}, /non-empty string/],
  [['a'], /non-empty string/],
])('the name %p is refused', (name, message) => {
  expect(refused(name)).toBeInstanceOf(InvalidArgumentError)
  expect(refused(name)).toMatchObject({ message: expect.stringMatching(message) as unknown })
})
