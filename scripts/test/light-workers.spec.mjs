import { execFileSync } from 'node:child_process'
import { build } from 'esbuild'
import { root } from '../lib/workspace.mjs'

/** What they start is what they are for. */
const startServers = ['bench/src/delay-proxy.ts', 'verification/testkit/test/fixtures/parent-worker.mjs']

const programs = execFileSync(
  'git',
  ['grep', '-lE', 'fromParent\\b.*@holdfast/testkit', '--', '*.ts', '*.mjs'],
  {
    cwd: root,
    encoding: 'utf8',
  },
)
  .trim()
  .split('\n')
  .filter((file) => !startServers.includes(file) && file !== 'scripts/test/light-workers.spec.mjs')

it('there are such programs', () => expect(programs.length).toBeGreaterThan(10))

// What starts servers takes five times as long to load as the rest, and tests start hundreds of workers.
it.each(programs)('%s imports nothing of the testkit but @holdfast/testkit/process', async (program) => {
  const { metafile } = await build({
    entryPoints: [root + program],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    tsconfigRaw: {},
    metafile: true,
    write: false,
  })
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  const ofTestkit = imported.filter((path) => path.startsWith('@holdfast/testkit'))
  expect(new Set(ofTestkit)).toEqual(new Set(['@holdfast/testkit/process']))
})
