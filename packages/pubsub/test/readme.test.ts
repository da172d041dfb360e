import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'

import { transformSync } from '@swc/core'
import { startRedis } from '@holdfast/testkit'
import * as ioredis from 'ioredis'

import * as pubsub from '../src/index.js'

function readExample(): string {
  const readme = readFileSync(join(__dirname, '../README.md'), 'utf8')
  const example = /```ts\n(.*?)```/s.exec(readme)?.[1]
  if (example === undefined) throw new Error('README.md has no ts block')
  return example
}

it('the example in the README prints what it says', async () => {
  await using server = await startRedis()
  const example = readExample()
  const { code } = transformSync(example, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  })
  const lines: string[] = []
  await runInNewContext(`(async () => { ${code}\n })()`, {
    require: (name: string) => (name === 'ioredis' ? ioredis : pubsub),
    exports: {},
    process: { env: { REDIS_URL: server.url } },
    console: { log: (line: string) => lines.push(line) },
  })
  expect(lines).toEqual([/\/\/ prints: (.*)/.exec(example)?.[1]])
})
