import { execFile, spawn } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { scratchFolder, startRedis, until } from '@holdfast/testkit'
import { openHolder } from './support/holder.js'

// docs/production/cli.md shows this session. HOLDFAST_RECORD=1 writes it there from a real run; without it the run must still have that shape.

const page = join(__dirname, '../../../docs/production/cli.md')
const marks =
  /(?<=<!-- session: packages\/cli\/test\/session.test.ts -->\n\n```text\n)[^]*?(?=```\n\n<!-- end of session -->)/
const program = join(__dirname, '../dist/main.cjs')
const run = promisify(execFile)

/** What differs from run to run, and the width of columns with it. */
const shapeOf = (session: string): string =>
  session
    .replace(/[\w-]{21}:\d+/g, 'OWNER')
    .replace(/(Redis|Valkey) \d/, 'Redis 0')
    .replace(/\d[\d.,]*/g, '0')
    .replace(/0 (ms|s|min)( 0 s)?\b/g, 'TIME')
    .replace(/ +/g, ' ')
    // It may be slow on a busy machine.
    .replace(/^(ok|warning) round trip .*$/m, 'ok round trip TIME')

async function record(): Promise<string> {
  await using server = await startRedis()
  await using folder = asDisposable(await scratchFolder())
  const holdfastProgram = join(folder.path, 'holdfast')
  writeFileSync(holdfastProgram, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  chmodSync(holdfastProgram, 0o755)
  const env = {
    ...process.env,
    PATH: `${folder.path}:${process.env['PATH'] ?? ''}`,
    HOLDFAST_REDIS_URL: server.url,
    NO_COLOR: '1',
    FORCE_COLOR: undefined,
  }
  const holdfast = openHolder({ redis: server.url })
  const lock = holdfast.getLock('nightly-export')
  let text = ''
  const step = async (line: string, shows = /^/): Promise<void> => {
    const words = `{ ${line}; } 2>&1; code=$?; [ $code -eq 0 ] || echo "exit code $code"`
    let printed = ''
    await until(
      async () => {
        printed = (await run('sh', ['-c', words], { env })).stdout
        return shows.test(printed)
      },
      { what: () => `${String(shows)} in ${printed}` },
    )
    text += `$ ${line}\n${printed}\n`
  }

  const job = 'holdfast run nightly-export --label export -- sleep 60'
  text += `$ ${job} &\n\n`
  const [program0 = '', ...args] = job.split(' ')
  const running = spawn(program0, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  running.stderr.setEncoding('utf8').on('data', (words: string) => (said += words))
  const ended = new Promise<number | null>((resolve) => running.once('close', resolve))
  await until(() => lock.isLocked())

  await step('holdfast run nightly-export --wait 1s -- ./export.sh')
  await step('holdfast ls')
  // On a busy machine the holder may not say in time for how long it has held.
  await step('holdfast inspect nightly-export', /\d m?s +\d/)
  await step('holdfast unlock nightly-export --yes')
  const owner = (await lock.inspect()).holder?.owner ?? ''
  await step(`holdfast unlock nightly-export --owner ${owner} --by ada@ops --yes`)
  const code = await ended
  text = text.trimEnd() + `\n${said.trimEnd()}\n[1]  exit ${code}  ${job}\n\n`
  await holdfast.close()
  await step('holdfast doctor')
  return text.trimEnd().replaceAll(`${hostname()}, pid`, 'w3, pid') + '\n'
}

const asDisposable = <T extends { remove(): Promise<void> }>(folder: T): T & AsyncDisposable =>
  Object.assign(folder, { [Symbol.asyncDispose]: () => folder.remove() })

it('the session that docs/production/cli.md shows still has that shape', async () => {
  const session = await record()
  const text = readFileSync(page, 'utf8')
  const [shown = ''] = marks.exec(text) ?? []
  if (process.env['HOLDFAST_RECORD'])
    writeFileSync(
      page,
      text.replace(marks, () => session),
    )
  else expect(shapeOf(session)).toBe(shapeOf(shown))
})
