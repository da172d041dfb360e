import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { freePort, sharedRedisUrl } from '@holdfast/testkit'
import * as core from '../src/index.js'

const run = promisify(execFile)

const kinds = Object.keys(core).filter((name) => /^(?!Redis)[A-Z].*Error$/.test(name))
/** A package may import itself by name from anywhere inside its own folder. */
const inPackage = { cwd: `${__dirname}/..` }

/** Prints of one error of each class its name, and the first line of its stack and of what console.log shows. */
const program = `
  import { inspect } from 'node:util'
  import * as core from '@holdfast/core'
  const details = { reason: 'expired', holder: 'c2:1', position: 1, waitedMs: 5, wanted: 1, acknowledged: 0 }
  const seen = ${JSON.stringify(kinds)}.map((kind) => {
    const error = new core[kind]('x', details)
    return [error.name, error.toJSON().name, error.stack.split('\\n')[0], inspect(error).split('\\n')[0]]
  })
  console.log(JSON.stringify(seen))
`

/** Bundles the program with esbuild, minified, and returns what it prints. */
async function runMinified(program: string, options: object): Promise<unknown> {
  const bundler = [`${__dirname}/workers/minify.mjs`, program, JSON.stringify(options)]
  const { stdout: code } = await run(process.execPath, bundler, { ...inPackage, maxBuffer: 2 ** 24 })
  expect(code).not.toContain('class LockTimeoutError')
  const type = 'format' in options ? 'commonjs' : 'module'
  const running = run(process.execPath, [`--input-type=${type}`, '-'], inPackage)
  running.child.stdin?.end(code)
  const { stdout } = await running
  return JSON.parse(stdout)
}

it('errors keep their names in a minified bundle', async () => {
  expect(await runMinified(program, { external: ['ioredis'] })).toEqual(
    kinds.map((kind) => [kind, kind, `${kind}: x`, `${kind}: x`]),
  )
})

/** Prints code and message of what an acquisition fails with at each URL. */
const failures = (urls: readonly string[]): string => `
  import { Holdfast } from '@holdfast/core'
  void (async () => {
    const seen = []
    for (const redis of ${JSON.stringify(urls)}) {
      const holdfast = new Holdfast({ redis }).on('error', () => {})
      const error = await holdfast.getLock('minified').lock({ waitMs: 2_000 }).catch((thrown) => thrown)
      seen.push([error.code, error.message])
      await holdfast.close()
    }
    console.log(JSON.stringify(seen))
  })()
`

it.each(['ioredis', 'ioredis5'])(
  'a minified bundle that contains %s knows a refusal and a cause',
  async (ioredis) => {
    const url = sharedRedisUrl()
    const closed = `redis://127.0.0.1:${await freePort()}`
    const program = failures([`${url}/99`, url.replace('//', '//nobody:wrong@'), closed])
    expect(await runMinified(program, { format: 'cjs', alias: { ioredis } })).toEqual([
      ['REFUSED', expect.stringContaining('DB index is out of range')],
      ['REFUSED', expect.stringContaining('WRONGPASS')],
      ['UNAVAILABLE', expect.stringContaining('ECONNREFUSED')],
    ])
  },
)

it('an ECMAScript bundle without ioredis locks with an instance, and says what a URL needs', async () => {
  const url = JSON.stringify(sharedRedisUrl())
  const program = `
    import { Redis } from 'ioredis'
    import { Holdfast } from '@holdfast/core'
    const redis = new Redis(${url}, { lazyConnect: true })
    const holdfast = new Holdfast({ redis })
    const result = await holdfast.getLock('bundled').withLock(() => 'held')
    await holdfast.close()
    let error
    try { new Holdfast({ redis: ${url} }) } catch (thrown) { error = thrown }
    console.log(JSON.stringify([result, error.code, error.message]))
  `
  expect(await runMinified(program, { external: ['ioredis'] })).toEqual([
    'held',
    'INVALID_ARGUMENT',
    expect.stringMatching(/needs the ioredis package: install it, or pass an ioredis instance/),
  ])
})
