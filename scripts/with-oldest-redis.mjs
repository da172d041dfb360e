import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Runs a command with the oldest supported Redis first on PATH, so that tests start that one: a program for Linux on x64 in a Java
// library, which Maven downloads the first time.

const artifact = 'com.github.codemonstur:embedded-redis:1.4.3'
const program = 'redis-server-6.2.6-v5-linux-amd64'
const folder = fileURLToPath(new URL('../.cache/redis-6.2', import.meta.url))
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
const [command, ...args] = process.argv.slice(2)
const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` }
process.exitCode = spawnSync(command, args, { env, stdio: 'inherit' }).status ?? 1
