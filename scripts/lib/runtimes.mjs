// Runtimes other than the one that runs this, as npm has them for every platform.
import { existsSync } from 'node:fs'
import { run } from './consumer.mjs'
import { root } from './workspace.mjs'

/** What docs/stores/index.md says that a program needs. */
const denoAllows = ['--no-prompt', '--allow-net', '--allow-env', '--allow-sys=hostname']

/** By their names: the package, its version, and how it runs a program. */
const runtimes = {
  bun: { of: 'bun@1.4.5', bin: 'bun', args: ['run', '--bun'] },
  deno: { of: 'deno@2.9.6', bin: 'deno', args: ['run', ...denoAllows, '--node-modules-dir=manual'] },
  node22: { of: 'node@22.23.3', bin: 'node', args: [] },
  node24: { of: 'node@24.21.0', bin: 'node', args: [] },
  node26: { of: 'node@26.10.0', bin: 'node', args: [] },
}

/** Downloads a runtime, if this version of it is not there. Returns the command that runs a program on it. */
export function installRuntime(name) {
  const { of, bin, args } = runtimes[name]
  const folder = `${root}.cache/runtimes/${of}`
  const program = `${folder}/node_modules/.bin/${bin}`
  if (!existsSync(program))
    run(['npm', 'install', '--silent', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, of])
  // What was put in the place of the program, if its own package could not be had, does not run.
  run([program, '--version'])
  return [program, ...args]
}
