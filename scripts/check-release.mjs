// Usage: node scripts/check-release.mjs [tag]
// Says whether this checkout can be released; CONTRIBUTING.md has the whole procedure.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { releaseProblems } from './lib/release.mjs'
import { reportsTo, repositoryUrl } from './lib/repository.mjs'
import { folderOf, publishedPackages, root } from './lib/workspace.mjs'

const read = (file) => readFileSync(`${root}${file}`, 'utf8')
const versionOf = (name) => JSON.parse(read(`${folderOf(name)}/package.json`)).version

const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n')

const problems = releaseProblems({
  repositoryUrl,
  reportsTo,
  unpublished: pages.filter((page) => /\bnot on npm yet\b/.test(read(page))),
  versions: Object.fromEntries(publishedPackages.map((name) => [name, versionOf(name)])),
  changelog: read('CHANGELOG.md'),
  tag: process.argv[2],
})
for (const problem of problems) console.error(`Not ready: ${problem}`)
if (problems.length > 0) process.exitCode = 1
else console.log('Ready to release.')
