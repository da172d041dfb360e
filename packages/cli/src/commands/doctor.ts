import { isHoldfastError, type Holdfast } from '@holdfast/core'
import type { Command } from 'commander'
import { addStoreOptions, durationOption } from '../connect/options.js'
import type { StoreOptions } from '../connect/store-options.js'
import type { Store } from '../connect/store.js'
import { checkClients, checkCycle, checkForeignKeys } from '../doctor/any-store.js'
import { failed, unknown, type Finding } from '../doctor/finding.js'
import { checkRedis } from '../doctor/redis.js'
import { exitCodes } from '../exit-codes.js'
import { escapeSentence } from '../output/escape.js'
import { tableLines, type Column } from '../output/table.js'
import { paint, printJson, printLine } from '../output/terminal.js'
import { messageWithoutObject, withoutObject } from './outages.js'
import { withClient } from './with-client.js'

interface DoctorOptions extends StoreOptions {
  readonly watchdog: number
  readonly json?: true
}

export function addDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .description('check whether the store is fit for locks')
    .addOption(
      durationOption('--watchdog <duration>', 'the watchdogTimeoutMs of your clients').default(30_000, '30s'),
    )
    .option('--json', 'JSON, a line for each finding')
  addStoreOptions(command).action(async (options: DoctorOptions) => {
    const findings = await withClient(options, { label: 'holdfast doctor' }, (holdfast, store) =>
      examine(holdfast, store, options.watchdog),
    )
    if (options.json) for (const finding of findings) printJson('finding', finding)
    else for (const line of linesOf(findings)) printLine(line)
    process.exitCode = findings.some(({ status }) => status === 'failed') ? exitCodes.no : exitCodes.ok
  })
}

async function examine(holdfast: Holdfast, store: Store, watchdogMs: number): Promise<Finding[]> {
  const findings = [
    ...(await findingsOf('lock', () => checkCycle(holdfast))),
    ...(store.kind === 'redis' ? await checkRedis(store, watchdogMs) : []),
    ...(await findingsOf('clients', () => checkClients(holdfast), unknown)),
    ...(await findingsOf('unrelated keys', () => checkForeignKeys(holdfast), unknown)),
  ]
  return findings.filter(({ text }, i) => i === firstWith(findings, text))
}

/** What makes every check fail is said once. */
const firstWith = (findings: readonly Finding[], text: string): number =>
  findings.findIndex((finding) => finding.text === text)

/**
 * A store that refuses something is what a doctor reports; one that cannot be reached is not worth going on.
 *
 * @param refused - what a refusal means: no lock needs what only operators do
 */
async function findingsOf(
  check: string,
  look: () => Promise<Finding[]>,
  refused = failed,
): Promise<Finding[]> {
  try {
    return await look()
  } catch (error) {
    if (!isHoldfastError(error) || error.code !== 'REFUSED') throw withoutObject(error)
    return [refused(check, escapeSentence(messageWithoutObject(error)))]
  }
}

const looks = {
  ok: ['ok', 'green'],
  warning: ['warning', 'yellow'],
  failed: ['FAILED', 'red'],
  unknown: ['unknown', 'dim'],
} as const

const columns: Column<Finding>[] = [
  { title: '', cell: ({ status }) => looks[status][0] },
  { title: '', cell: ({ check }) => check },
  { title: '', cell: ({ text }) => text },
]

function linesOf(findings: readonly Finding[]): string[] {
  const [, ...lines] = tableLines(columns, findings)
  // The status comes first, so colour does not disturb the layout.
  return lines.map((line, i) => {
    const [word, style] = looks[findings[i]?.status ?? 'unknown']
    return line.replace(word, paint(style, word))
  })
}
