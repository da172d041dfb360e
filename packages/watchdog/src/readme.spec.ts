import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'

import { transformSync } from '@swc/core'

import * as watchdog from './index.js'

function readExample(): string {
  const readme = readFileSync(join(__dirname, '../README.md'), 'utf8')
  const example = /```ts\n(.*?)```/s.exec(readme)?.[1]
  if (example === undefined) throw new Error('README.md has no ts block')
  return example
}

it('the example in the README prints what it says', async () => {
  jest.useFakeTimers()
  const example = readExample()
  const { code } = transformSync(example, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  })
  const lines: string[] = []
  const console = { log: (line: string) => lines.push(line) }
  runInNewContext(code, { require: () => watchdog, exports: {}, console, performance, setTimeout })
  await jest.advanceTimersByTimeAsync(1_000)
  jest.useRealTimers()
  expect(lines).toEqual(/\/\/ prints: (.*)/.exec(example)?.[1]?.split(', '))
})
