// Usage: node scripts/run-mutants.mjs [--engine redis|postgres|memory|documents|sessions] [--file part of a name] [--shard 1/4]
// Tries every mistake that can be made in the steps of the stores, and fails when one is neither found nor listed in
// verification/mutants/survivors/. What became of each is in .cache/mutants/.
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { root } from './lib/workspace.mjs'

const tests = {
  redis: ['redis', 'packages/core/test/mutants.test.ts'],
  postgres: ['rest', 'packages/stores/test/postgres/mutants.test.ts'],
  memory: ['no-server', 'verification/mutants/test/memory.offline.test.ts'],
  documents: ['no-server', 'packages/stores/test/documents/mutants.offline.test.ts'],
  sessions: ['no-server', 'packages/stores/test/sessions/mutants.offline.test.ts'],
}

const options = { engine: { type: 'string' }, file: { type: 'string' }, shard: { type: 'string' } }
const { engine, file = '', shard = 'all' } = parseArgs({ options }).values
if (engine !== undefined && !(engine in tests))
  throw new Error(`--engine is one of ${Object.keys(tests).join(', ')}`)
if (shard !== 'all' && !/^[1-9]\d*\/[1-9]\d*$/.test(shard)) throw new Error('--shard is such as 1/4')

for (const [project, test] of engine === undefined ? Object.values(tests) : [tests[engine]]) {
  const args = ['node_modules/jest/bin/jest.js', '-i', '--runTestsByPath', test, '--selectProjects', project]
  const env = { ...process.env, HOLDFAST_MUTANTS: shard, HOLDFAST_MUTANTS_FILE: file }
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
