import { readdirSync, readFileSync } from 'node:fs'
import { root } from '../lib/workspace.mjs'

const folder = `${root}.github/workflows/`
const workflows = readdirSync(folder).map((name) => [name, readFileSync(`${folder}${name}`, 'utf8')])

/** The text of each job, by its name. Jobs are indented by two blanks, and nothing else in that part is. */
function jobsOf(workflow) {
  const [, jobs] = workflow.split(/^jobs:\n/m)
  const parts = jobs.split(/^ {2}(\w+):\n/m).slice(1)
  return Object.fromEntries(parts.flatMap((part, i) => (i % 2 === 0 ? [[part, parts[i + 1]]] : [])))
}

const jobs = workflows.flatMap(([file, text]) =>
  Object.entries(jobsOf(text)).map(([name, job]) => [`${file}: ${name}`, job]),
)
const mayPublish = (job) => job.includes('id-token: write')
/** What each step that runs something runs. */
const commandsOf = (job) => [...job.matchAll(/^ {6,8}(?:- )?run: (.*)$/gm)].map(([, command]) => command)

it.each(workflows)('%s names every action by the hash of its commit, with its version', (_, text) => {
  const uses = [...text.matchAll(/uses: *(.*)/g)].map(([, action]) => action)
  expect(uses.length).toBeGreaterThan(0)
  expect(uses.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([])
})

it.each(workflows)('%s names one commit per action', (_, text) => {
  const pins = new Set([...text.matchAll(/uses: *(.*)/g)].map(([, action]) => action))
  const actions = [...pins].map((pin) => pin.replace(/@.*/, ''))
  expect(new Set(actions).size).toBe(actions.length)
})

it.each(workflows)('%s grants nothing but reading to jobs that do not ask for more', (_, text) =>
  expect(/^permissions:\n {2}contents: read\n\n/m.test(text)).toBe(true),
)

it('the one job that may publish installs, builds and tests nothing', () => {
  const publishing = jobs.filter(([, job]) => mayPublish(job))
  expect(publishing.map(([name]) => name)).toEqual(['release.yml: publish'])
  expect(commandsOf(publishing[0][1])).toEqual([
    'echo "$CHECKSUMS" | sha512sum --check --strict',
    'node scripts/publish.mjs tarballs --provenance',
  ])
})

it('what runs where a package can be published imports nothing that has to be installed', () => {
  const sources = ['scripts/publish.mjs', 'scripts/lib/workspace.mjs'].map((file) =>
    readFileSync(`${root}${file}`, 'utf8'),
  )
  const imported = sources.flatMap((source) =>
    [...source.matchAll(/from '([^']+)'/g)].map(([, from]) => from),
  )
  expect(imported.filter((from) => !/^node:|^\.\/lib\/workspace\.mjs$/.test(from))).toEqual([])
})

it.each(jobs.filter(([, job]) => job.includes('run: .ci/run')))(
  '%s allows .ci/run more time than it takes',
  (_, job) => expect(Number(/timeout-minutes: (\d+)/.exec(job)?.[1])).toBeGreaterThanOrEqual(60),
)

it('unit tests run before anything is built, as one of the jobs does', () => {
  expect(jobs.map(([, job]) => commandsOf(job).join())).toContain(
    'node scripts/with-pnpm.mjs,npx jest --selectProjects unit',
  )
  expect(readFileSync(`${root}jest.config.js`, 'utf8')).not.toMatch(/global\w+: '.*\/dist\//)
})
