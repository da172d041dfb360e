// Usage: node scripts/with-oldest-redis.mjs [arguments of Jest…]
// Runs tests with the oldest supported Redis first on PATH, so that they start that one: a program for Linux on x64 in a Java library,
// which Maven downloads the first time. Without arguments those tests that depend on the version most.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { root } from './lib/workspace.mjs'

const most = ['conformance/redis', 'failover', 'sentinel', 'refusing-server', 'permissions']

const artifact = 'com.github.codemonstur:embedded-redis:1.4.3'
const program = 'redis-server-6.2.6-v5-linux-amd64'
const folder = `${root}.cache/redis-6.2`
const path = join(folder, 'redis-server')

if (!existsSync(path)) {
  mkdirSync(folder, { recursive: true })
  const run = (command, ...args) => execFileSync(command, args, { cwd: folder, stdio: 'inherit' })
  run(
    ...['mvn', '--quiet', '--batch-mode', 'dependency:copy'],
    ...[`-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`],
  )
  run('jar', 'xf', 'embedded-redis-1.4.3.jar', program)
  run('chmod', '+x', program)
  renameSync(join(folder, program), path)
}
const given = process.argv.slice(2)
const args = given.length > 0 ? given : most.map((name) => `packages/core/test/${name}.test.ts`)
const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` }
const jest = spawnSync(`${root}node_modules/.bin/jest`, args, { cwd: root, env, stdio: 'inherit' })
process.exitCode = jest.status ?? 1
