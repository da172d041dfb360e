import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { publishedPackages, root } from '../lib/workspace.mjs'

const version = '9.9.9'
const integrityOf = (bytes) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`
let folder
let registry
/** Integrity by package, as the registry has them. */
const there = new Map()

function pack(name) {
  mkdirSync(join(folder, 'package'), { recursive: true })
  const manifest = { name: `@holdfast/${name}`, version }
  writeFileSync(join(folder, 'package/package.json'), JSON.stringify(manifest))
  execFileSync('tar', ['-czf', `tarballs/${name}.tgz`, 'package'], { cwd: folder })
}

const integrityOfTarball = (name) => integrityOf(readFileSync(join(folder, `tarballs/${name}.tgz`)))

async function answer(request, response) {
  const name = decodeURIComponent(request.url).replace('/@holdfast/', '')
  if (request.method === 'PUT') {
    const [attachment] = Object.values((await json(request))._attachments)
    there.set(name, integrityOf(Buffer.from(attachment.data, 'base64')))
    response.statusCode = 201
  } else if (!there.has(name)) response.statusCode = 404
  const dist = { integrity: there.get(name), tarball: 'http://127.0.0.1:1/x.tgz' }
  const versions = { [version]: { name: `@holdfast/${name}`, version, dist } }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ name: `@holdfast/${name}`, 'dist-tags': { latest: version }, versions }))
}

function publish() {
  const host = `127.0.0.1:${registry.address().port}/`
  const env = {
    ...process.env,
    npm_config_registry: `http://${host}`,
    [`npm_config_//${host}:_authToken`]: 'none',
    npm_config_cache: join(folder, 'npm-cache'),
  }
  return promisify(execFile)(process.execPath, ['scripts/publish.mjs', join(folder, 'tarballs')], {
    cwd: root,
    env,
  })
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'publish-'))
  mkdirSync(join(folder, 'tarballs'))
  for (const name of publishedPackages) {
    pack(name)
    there.set(name, integrityOfTarball(name))
  }
  registry = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(registry, 'listening')
})
afterEach(() => {
  registry.closeAllConnections()
  registry.close()
  rmSync(folder, { recursive: true, force: true })
})

it('publishes the tarballs that the registry lacks, byte for byte, and leaves out those that it has', async () => {
  there.delete('cli')
  const { stdout } = await publish()
  expect(there.get('cli')).toBe(integrityOfTarball('cli'))
  const done = stdout.trim().split('\n')
  expect(done.map((line) => line.slice(0, 9))).toEqual([
    ...publishedPackages.slice(1).map(() => 'was there'),
    'published',
  ])
})

it('refuses a version that the registry has with other content', async () => {
  there.set('core', integrityOf('something else'))
  await expect(publish()).rejects.toThrow(`The registry has another @holdfast/core@${version}`)
})
