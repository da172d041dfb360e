// A registry on this machine, for what is not published yet.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { freePort, until } from '@holdfast/testkit'
import { run } from './consumer.mjs'
import { root } from './workspace.mjs'

// The newest for Node.js 20.
const version = '6.1.6'

/** Fetches verdaccio, which is too large to be a dependency, if it is not there. Returns its program. */
function installVerdaccio() {
  const folder = `${root}.cache/verdaccio-${version}/`
  const program = `${folder}node_modules/.bin/verdaccio`
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  // It asks for a tag, which not every registry has.
  const manifest = {
    private: true,
    dependencies: { verdaccio: version },
    overrides: { 'node-fetch': '^2.7.0' },
  }
  writeFileSync(`${folder}package.json`, JSON.stringify(manifest))
  run(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'], folder)
  return program
}

/** Starts it on loopback, empty. It has no other packages than those that are published to it, and takes them from anyone. */
export async function startRegistry() {
  const folder = `${root}.cache/registry/`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const everyone = { access: '$all', publish: '$all', unpublish: '$all' }
  const config = {
    storage: `${folder}storage`,
    packages: { '@holdfast/*': everyone },
    log: { type: 'file', path: `${folder}log`, level: 'warn' },
  }
  // YAML includes JSON.
  writeFileSync(`${folder}config.yaml`, JSON.stringify(config))
  const program = installVerdaccio()
  const port = await freePort()
  const server = spawn(program, ['--config', `${folder}config.yaml`, '--listen', `127.0.0.1:${port}`], {
    stdio: 'ignore',
  })
  const end = () => server.kill('SIGKILL')
  process.once('exit', end)
  const url = `http://127.0.0.1:${port}/`
  const answers = () =>
    fetch(`${url}-/ping`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until(answers, { what: 'the registry', timeoutMs: 60_000 })
  // npm publishes only with a token, whatever it is.
  const publisher = `${folder}npmrc`
  writeFileSync(publisher, `registry=${url}\n//127.0.0.1:${port}/:_authToken=rehearsal\n`)
  return {
    url,
    publisher,
    async stop() {
      process.off('exit', end)
      const ended = once(server, 'exit')
      server.kill()
      await ended
    },
  }
}
