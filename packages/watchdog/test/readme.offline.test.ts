import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from '@swc/core'

const folder = join(__dirname, '..')

/** As a program of its own: whether it lives long enough to print anything is up to it. */
it('the example in the README prints what it says, and ends', () => {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8')
  const example = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? ''
  const { code } = transformSync(example, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' },
  })
  const words = ['--input-type=module', '--eval', code]
  const printed = execFileSync(process.execPath, words, { cwd: folder, encoding: 'utf8', timeout: 60_000 })
  expect(printed.trim().split('\n')).toEqual(/\/\/ prints: (.*)/.exec(example)?.[1]?.split(', '))
})
