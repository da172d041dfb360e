import { tarballProblems } from '../lib/tarball.mjs'

const manifest = {
  description: 'locks',
  keywords: ['lock'],
  license: 'MIT',
  repository: { type: 'git', url: 'git+https://example.org/locks.git' },
  homepage: 'https://example.org/locks',
  bugs: { url: 'https://example.org/locks/issues' },
  engines: { node: '>=20' },
  exports: './dist/esm/index.js',
}
const complete = {
  'package.json': JSON.stringify(manifest),
  LICENSE: 'MIT',
  'README.md': 'See the [guide](https://example.org/locks/guide.md) and [below](#rules).',
  'CHANGELOG.md': '# Changelog',
  'dist/esm/index.js': 'export const lock = 1\n',
}

const problemsWith = (changes) => {
  const files = Object.entries({ ...complete, ...changes }).filter(([, text]) => text !== undefined)
  return tarballProblems(new Map(files))
}

it('finds nothing wrong with a complete package', () => expect(problemsWith({})).toEqual([]))

it.each([
  [
    'a source map without its file',
    { 'dist/esm/index.js': '//# sourceMappingURL=index.js.map' },
    'names a source map',
  ],
  ['a source map', { 'dist/esm/index.js.map': '{}' }, 'is a source map'],
  [
    'a relative link',
    { 'README.md': 'See the [guide](../../docs/guide.md).' },
    'relative link: ../../docs/guide.md',
  ],
  ['a page that is missing', { 'CHANGELOG.md': undefined }, 'CHANGELOG.md is missing'],
  [
    'a field that is missing',
    { 'package.json': JSON.stringify({ ...manifest, bugs: undefined }) },
    'has no bugs',
  ],
  [
    'a version of the workspace',
    { 'package.json': JSON.stringify({ ...manifest, dependencies: { other: 'workspace:^' } }) },
    'workspace: version',
  ],
  ['a package without compiled files', { 'dist/esm/index.js': undefined }, 'build first'],
])('reports %s', (_, changes, problem) =>
  expect(problemsWith(changes)).toEqual([expect.stringContaining(problem)]),
)
