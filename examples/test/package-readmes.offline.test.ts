import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { format } from 'node:util'
import { runInNewContext } from 'node:vm'
import { transformSync } from '@swc/core'
import * as core from '@holdfast/core'
import * as memory from '@holdfast/stores/memory'
import * as metrics from '@holdfast/metrics'
import * as otel from '@holdfast/metrics/otel'
import * as prometheus from '@holdfast/metrics/prometheus'

const anyImport = /^import .*?'$/gms

/** As they are tested, not as they were built. */
const ours: Readonly<Record<string, unknown>> = {
  '@holdfast/core': core,
  '@holdfast/stores/memory': memory,
  '@holdfast/metrics': metrics,
  '@holdfast/metrics/otel': otel,
  '@holdfast/metrics/prometheus': prometheus,
}

it.each([
  ['stores', 'In tests'],
  ['metrics', 'OpenTelemetry'],
  ['metrics', 'Prometheus'],
  ['metrics', 'Any other library'],
])('the example in the README of @holdfast/%s prints what it says: %s', async (name, heading) => {
  const readmePath = join(__dirname, '../../packages', name, 'README.md')
  const [intro = '', section = intro] = readFileSync(readmePath, 'utf8').split(`\n## ${heading}\n`)
  const example = /```ts\n(.*?)```/s.exec(section)?.[1] ?? ''
  const imports = example.match(anyImport) ?? []
  const body = example.replace(anyImport, '')
  const { code } = transformSync(`${imports.join('\n')}\nexport async function run() {${body}}`, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  })
  const requireFromPackage = createRequire(readmePath)
  const exports: { run?: () => Promise<void> } = {}
  const printed: string[] = []
  runInNewContext(code, {
    require: (module: string): unknown => ours[module] ?? requireFromPackage(module),
    exports,
    console: { log: (...args: unknown[]) => printed.push(format(...args)) },
  })
  await exports.run?.()
  expect(printed).toEqual([...example.matchAll(/\/\/ prints: (.*)$/gm)].map(([, line]) => line))
  expect(printed).not.toEqual([])
})
