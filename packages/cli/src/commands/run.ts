import { basename } from 'node:path'
import { Option, type Command } from 'commander'
import { addStoreOptions, durationOption } from '../connect/options.js'
import type { StoreOptions } from '../connect/store-options.js'
import { exitCodes } from '../exit-codes.js'
import { Runner, type RunOutcome } from '../run/runner.js'
import { usageError, withClient } from './with-client.js'

interface RunOptions extends StoreOptions {
  readonly wait?: number
  readonly lease: number
  readonly atLeast?: number
  readonly conflictExitCode: number
  readonly label?: string
  readonly quiet?: true
  readonly storeEnv: boolean
}

const shortestLeaseMs = 1_000

export function addRun(program: Command): void {
  const command = program
    .command('run')
    .description('run a command while holding a lock')
    .argument('<name>', 'of the lock')
    .argument('[command...]', 'program and arguments, behind --')
    .usage('[options] <name> -- <command...>')
    .showHelpAfterError('(options of the command go behind --: holdfast run <name> -- <command...>)')
    .addOption(
      durationOption(
        '-w, --wait <duration>',
        'give up on the lock, and on a store that cannot be reached, after this time; 0: try once (default: no limit)',
      ),
    )
    .addOption(
      durationOption(
        '-l, --lease <duration>',
        'how long the lock outlives this process; renewed every third of it',
      ).default(30_000, '30s'),
    )
    .addOption(
      durationOption(
        '--at-least <duration>',
        'keep the lock for at least this time, though the command ends sooner: once per interval, whatever the clocks of the machines',
      ),
    )
    .addOption(
      new Option('-E, --conflict-exit-code <code>', 'exit code when the lock was not acquired')
        .default(exitCodes.notAcquired)
        // An empty variable of a script would otherwise be 0.
        .argParser((text) => (/^\d+$/.test(text) ? Number(text) : NaN)),
    )
    .option('--label <text>', 'what `inspect` shows for this process (default: the name of the program)')
    .option('-q, --quiet', 'say nothing of a lock that others hold')
    .option(
      '--no-store-env',
      'keep from the command the variables that say where the locks are, with their passwords (HOLDFAST_URL, …)',
    )
    .addHelpText('after', exitCodeHelp)
  addStoreOptions(command).action(async (name: string, words: string[], options: RunOptions) => {
    const missing = missingArgument([name, ...words])
    if (missing !== undefined) command.error(`error: missing required argument '${missing}'`)
    const { code, isInterrupted } = await run(name, words, options)
    process.exitCode = code
    if (isInterrupted) process.kill(process.pid, 'SIGINT')
  })
}

/**
 * What was forgotten. Of words that all come behind `--`, the first would be the name of the lock though it is meant to be the
 * program; only a name that begins with a dash has to be there.
 */
function missingArgument(words: readonly [name: string, ...command: string[]]): string | undefined {
  const dashes = process.argv.indexOf('--')
  const areBehind = dashes >= 0 && process.argv.length - dashes - 1 === words.length
  if (areBehind && !words[0].startsWith('-')) return 'name'
  return words.length === 1 ? 'command' : undefined
}

const exitCodeHelp = `
Exit codes: that of the command, or 128 + n when signal n ended it.
  75  the lock was not acquired (-E)     64  wrong usage
  79  the lock was lost                  125 holdfast itself failed
  69  the store cannot be reached        126 the command cannot be executed
  77  the store rejected it              127 the command was not found

The command gets HOLDFAST_LOCK, HOLDFAST_OWNER, HOLDFAST_OUTER_OWNERS and HOLDFAST_FENCING_TOKEN in its environment.`

async function run(name: string, command: string[], options: RunOptions): Promise<RunOutcome> {
  const { wait: waitMs = Infinity, lease: leaseMs, conflictExitCode: notAcquiredCode } = options
  if (process.platform === 'win32')
    throw usageError('run needs signals and process groups, which Windows does not have')
  if (leaseMs < shortestLeaseMs) throw usageError('--lease must be at least 1s')
  if (!Number.isInteger(notAcquiredCode) || notAcquiredCode < 0 || notAcquiredCode > 255) {
    throw usageError('--conflict-exit-code must be a number from 0 to 255')
  }
  const label = options.label ?? `holdfast run ${basename(command[0] ?? '')}`
  const storeOptions = { ...options, mayCreate: true }
  return withClient(storeOptions, { watchdogTimeoutMs: leaseMs, label }, (holdfast) => {
    const lock = holdfast.getLock(name)
    const { quiet: isQuiet = false, storeEnv: hasStoreEnv } = options
    const atLeastMs = options.atLeast
    const order = { lock, command, waitMs, leaseMs, atLeastMs, notAcquiredCode, hasStoreEnv, isQuiet }
    return new Runner(holdfast, order).run()
  })
}
