import type { Verdict } from '@holdfast/conformance'
import type { Command } from 'commander'
import { addStoreOptions } from '../connect/options.js'
import type { StoreOptions } from '../connect/store-options.js'
import { fromEnvironment, openStore } from '../connect/store.js'
import { exitCodes, messageOf } from '../exit-codes.js'
import { countOf } from '../output/count.js'
import { escapeSentence } from '../output/escape.js'
import { ProgressLine } from '../output/progress-line.js'
import { tableLines, type Column } from '../output/table.js'
import { paint, printJson, printLine, say } from '../output/terminal.js'
import { ownSpaceIn } from '../verify/own-space.js'
import { StoreUnderTest } from '../verify/store-under-test.js'
import { usageError } from './with-client.js'

interface VerifyCommandOptions extends StoreOptions {
  readonly only?: string
  readonly json?: true
}

export function addVerify(program: Command): void {
  const command = program
    .command('verify')
    .argument('[url]', 'the store, as with --url')
    .description('check on your server what Holdfast promises, under separate names')
    .option('--only <text>', 'only the promises with this text in their title or that of their part')
    .option('--json', 'JSON, a line for each promise')
  addStoreOptions(command).action((url: string | undefined, options: VerifyCommandOptions) =>
    verify(url === undefined ? options : { ...options, url }),
  )
}

async function verify({ json, only, ...given }: VerifyCommandOptions): Promise<void> {
  const suite = await import('@holdfast/conformance')
  const space = ownSpaceIn(fromEnvironment(given))
  const { url } = space.options
  // Where other processes find it: arguments are visible to others.
  if (url !== undefined) process.env['HOLDFAST_URL'] = url
  const store = await openStore(space.options)
  const underTest = new StoreUnderTest(store, space, suite)
  // Scenarios cause outages, and expect the warnings about them.
  process.removeAllListeners('warning')
  const stopping = new AbortController()
  const stop = (): void => stopping.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  say(`uses only ${space.name} and cleans up at the end`)
  let progress = ''
  const line = new ProgressLine(() => progress)
  const verdicts = await suite
    .verifyEngine(underTest, {
      signal: stopping.signal,
      ...(only !== undefined && { only }),
      onProgress: (done, all, next) => (progress = escapeSentence(`${done}/${all} ${next}`).slice(0, 79)),
    })
    .finally(() => line.end())
  if (verdicts.length === 0 && !stopping.signal.aborted)
    throw usageError(`no promise has the text ${JSON.stringify(only)} in its title`)
  if (json) for (const verdict of verdicts) printJson('verdict', asJson(verdict))
  else for (const each of linesOf(verdicts)) printLine(each)
  if (stopping.signal.aborted) say('stopped before all was tried')
  const isKept = verdicts.every(({ outcome }) => outcome !== 'broken')
  process.exitCode = isKept && !stopping.signal.aborted ? exitCodes.ok : exitCodes.no
}

const asJson = ({ error, ...verdict }: Verdict): object => ({
  ...verdict,
  ...(error !== undefined && { error: messageOf(error) }),
})

interface PartRow {
  readonly part: string
  readonly kept: number
  readonly broken: number
  readonly untried: number
}

const columns: Column<PartRow>[] = [
  { title: 'PROMISES', cell: ({ part }) => part },
  { title: 'KEPT', cell: ({ kept }) => String(kept), isRight: true },
  { title: 'BROKEN', cell: ({ broken }) => String(broken), isRight: true },
  { title: 'NOT TRIED', cell: ({ untried }) => String(untried), isRight: true },
]

function* linesOf(verdicts: readonly Verdict[]): Generator<string> {
  const parts = [...new Set(verdicts.map(({ part }) => part))]
  const rowOf = (title: string, those: readonly Verdict[]): PartRow => ({
    part: title,
    kept: those.filter(({ outcome }) => outcome === 'kept').length,
    broken: those.filter(({ outcome }) => outcome === 'broken').length,
    untried: those.filter(({ outcome }) => outcome === 'untried').length,
  })
  const rows = parts.map((part) =>
    rowOf(
      part,
      verdicts.filter((verdict) => verdict.part === part),
    ),
  )
  const all = rowOf('all', verdicts)
  yield* tableLines(columns, [...rows, all])
  for (const { part, title, outcome, error } of verdicts) {
    if (outcome !== 'broken') continue
    yield ''
    yield `${paint('red', 'BROKEN')}  ${part}: ${title}`
    for (const line of messageOf(error).split('\n').slice(0, mostLines))
      yield `        ${escapeSentence(line)}`
  }
  if (all.untried === 0) return
  yield ''
  yield `${countOf(all.untried, 'promise')} cannot be tried from outside: they need a restart, a failover or a count of the server's commands.`
}

/** Of what a broken promise has to say. */
const mostLines = 6
