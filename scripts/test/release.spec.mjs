import { releaseProblems } from '../lib/release.mjs'

const ready = {
  repositoryUrl: 'https://example.org/holdfast',
  reportsTo: 'security@example.org',
  unpublished: [],
  versions: { core: '1.2.0', memory: '1.2.0' },
  changelog: '# Changelog\n\n## 1.2.0, 2027-03-01\n\n- Faster.\n',
  tag: 'v1.2.0',
}

it('finds nothing in the way of a release that is ready', () => expect(releaseProblems(ready)).toEqual([]))

it.each([
  [
    'a repository that is a placeholder',
    { repositoryUrl: 'https://repository.invalid/holdfast' },
    'is a placeholder',
  ],
  ['no address for reports of vulnerabilities', { reportsTo: undefined }, '"bugs": { "email"'],
  ['an address that is a placeholder', { reportsTo: 'security@repository.invalid' }, 'no e-mail address'],
  [
    'a page that says that nothing is published',
    { unpublished: ['docs/start/quickstart.md'] },
    'docs/start/quickstart.md says that',
  ],
  [
    'packages of different versions',
    { versions: { core: '1.2.0', memory: '1.1.0' } },
    'differ in their versions',
  ],
  [
    'a version without a date in the changelog',
    { changelog: '## 1.2.0, unreleased' },
    'no heading "## 1.2.0,',
  ],
  ['a tag of another version', { tag: 'v1.1.0' }, 'the tag is v1.1.0, the version 1.2.0'],
])('reports %s', (_, changes, problem) =>
  expect(releaseProblems({ ...ready, ...changes })).toEqual([expect.stringContaining(problem)]),
)
