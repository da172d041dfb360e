import { startRedis, type RedisServer } from '@holdfast/testkit'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

let server: RedisServer

beforeAll(async () => {
  server = await startRedis()
})

afterAll(() => server.stop())

/** The first program of a page, for that server. */
async function firstProgramOf(page: string): Promise<string> {
  const text = await readFile(join(__dirname, '../..', page), 'utf8')
  const [, program] = /^```ts\n(.*?)^```$/ms.exec(text) ?? []
  if (program === undefined) throw new Error(`${page} has no program`)
  expect(program).toContain('redis://localhost:6379')
  return program.replaceAll('redis://localhost:6379', server.url)
}

it.each(['README.md', 'packages/core/README.md'])('the first program of %s runs and ends', async (page) => {
  const program = await firstProgramOf(page)
  // In this folder, whose dependencies are those of a user.
  const options = { cwd: join(__dirname, '..'), timeout: 20_000 }
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], options)
  await expect(ended).resolves.toMatchObject({ stderr: '' })
})
