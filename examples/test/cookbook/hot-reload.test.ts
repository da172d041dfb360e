import { uniqueName } from '@holdfast/testkit'
import { build, type BuildOptions } from 'esbuild'
import { rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { useApps } from './use-apps.js'

const apps = useApps()
/** Inside the package, so that bundles find what they import. */
const folder = join(__dirname, '../../.cache', uniqueName('hot-reload'))

afterAll(() => rm(folder, { recursive: true, force: true }))

/** As a development server would build the route: once per version. */
async function bundleRoute(version: number, options: BuildOptions): Promise<string> {
  const outfile = join(
    folder,
    `route-${uniqueName(String(version))}.${options.format === 'esm' ? 'mjs' : 'cjs'}`,
  )
  await build({
    entryPoints: [join(__dirname, 'route.ts')],
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    define: { version: String(version) },
    outfile,
    // Its paths lead to sources, and an application has what is published.
    tsconfigRaw: {},
    ...options,
  })
  return outfile
}

async function connections(): Promise<number> {
  const list = String(await apps.redis.call('CLIENT', 'LIST'))
  return list.split('\n').filter((line) => line.includes(' cmd=') && !line.includes(' cmd=client')).length
}

it.each<[string, BuildOptions]>([
  ['that leave packages outside', { format: 'esm', packages: 'external' }],
  ['that contain everything', { format: 'cjs' }],
])('bundles %s share one client, also after reloads', async (_, options) => {
  const versions = [1, 2, 3]
  const files = await Promise.all(versions.map((version) => bundleRoute(version, options)))
  const app = await apps.start('hot-reload', { BUNDLES: files.join(delimiter) })
  const answers = []
  for (const version of versions) {
    const answer = await app.waitFor('answer')
    expect(answer).toMatchObject({ version, holdCount: 2 })
    answers.push(answer)
  }
  expect(new Set(answers.map(({ clientId }) => clientId)).size).toBe(1)
  expect(await connections()).toBeLessThanOrEqual(2)
})
