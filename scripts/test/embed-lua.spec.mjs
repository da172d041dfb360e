import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, removeFolders } from './support/folders.mjs'

afterEach(removeFolders)

const target = 'packages/core/src/redis/scripts/generated.ts'
const ofRedisson = 'packages/core/src/redis/redisson/generated.ts'

/** A repository with the command, a script and one for Redisson. */
function makeRepository(lua = 'return 1') {
  const repository = makeFolder({ 'lua/a.lua': lua, 'lua/redisson/b.lua': 'return 3' })
  mkdirSync(join(repository, 'scripts'))
  cpSync(`${__dirname}/../embed-lua.mjs`, join(repository, 'scripts/embed-lua.mjs'))
  cpSync(`${__dirname}/../lib`, join(repository, 'scripts/lib'), { recursive: true })
  return {
    target: join(repository, target),
    ofRedisson: join(repository, ofRedisson),
    script: join(repository, 'lua/a.lua'),
    run(...args) {
      const options = { cwd: repository, encoding: 'utf8' }
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ['scripts/embed-lua.mjs', ...args],
        options,
      )
      return { status, output: stdout + stderr }
    },
  }
}

const upToDate = { status: 0, output: `${target} is up to date\n${ofRedisson} is up to date\n` }

it('writes the modules, once', () => {
  const repository = makeRepository()
  expect(repository.run()).toEqual({ status: 0, output: `${target} written\n${ofRedisson} written\n` })
  expect(readFileSync(repository.target, 'utf8')).toContain('`return 1`')
  expect(repository.run()).toEqual(upToDate)
})

it('leaves what only Redisson needs to a module of its own', () => {
  const repository = makeRepository()
  repository.run()
  expect(readFileSync(repository.target, 'utf8')).not.toContain('redisson')
  const text = readFileSync(repository.ofRedisson, 'utf8')
  expect(text.match(/new Script\('\w+'/g)).toEqual(["new Script('redissonB'"])
})

it('with --check passes while the modules are current', () => {
  const repository = makeRepository()
  repository.run()
  expect(repository.run('--check')).toEqual(upToDate)
})

it('with --check fails when a script has changed, and writes nothing', () => {
  const repository = makeRepository()
  repository.run()
  const committed = readFileSync(repository.target, 'utf8')
  writeFileSync(repository.script, 'return 2')
  const { status, output } = repository.run('--check')
  expect(status).toBe(1)
  expect(output).toContain(`${target} does not match lua/. Run \`pnpm generate\` and commit the result.\n`)
  expect(readFileSync(repository.target, 'utf8')).toBe(committed)
})

it('with --check fails when there is no module', () => {
  const repository = makeRepository()
  expect(repository.run('--check').status).toBe(1)
  expect(existsSync(repository.target)).toBe(false)
})

it('says in one line what it refuses', () => {
  const { status, output } = makeRepository('--@include b').run()
  expect({ status, output }).toEqual({ status: 1, output: 'lua/a.lua:1: unknown include "b"\n' })
})
