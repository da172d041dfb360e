import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, removeFolders } from './support/folders.mjs'

afterEach(removeFolders)

const target = 'packages/core/src/redis/scripts/generated.ts'

/** A repository with the command and one script. */
function makeRepository(lua = 'return 1') {
  const repository = makeFolder({ 'lua/a.lua': lua })
  mkdirSync(join(repository, 'scripts'))
  cpSync(`${__dirname}/../embed-lua.mjs`, join(repository, 'scripts/embed-lua.mjs'))
  cpSync(`${__dirname}/../lib`, join(repository, 'scripts/lib'), { recursive: true })
  return {
    target: join(repository, target),
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

it('writes the module, once', () => {
  const repository = makeRepository()
  expect(repository.run()).toEqual({ status: 0, output: `${target} written\n` })
  expect(readFileSync(repository.target, 'utf8')).toContain('lua: `return 1`')
  expect(repository.run()).toEqual({ status: 0, output: `${target} is up to date\n` })
})

it('with --check passes while the module is current', () => {
  const repository = makeRepository()
  repository.run()
  expect(repository.run('--check')).toEqual({ status: 0, output: `${target} is up to date\n` })
})

it('with --check fails when a script has changed, and writes nothing', () => {
  const repository = makeRepository()
  repository.run()
  const committed = readFileSync(repository.target, 'utf8')
  writeFileSync(repository.script, 'return 2')
  const { status, output } = repository.run('--check')
  expect(status).toBe(1)
  expect(output).toBe(`${target} does not match lua/. Run \`pnpm generate\` and commit the result.\n`)
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
