#!/usr/bin/env node
import { createRequire } from 'node:module'
import { CommanderError } from 'commander'
import { ExitError, exitCodeOf, exitCodes, messageOf } from './exit-codes.js'
import { escapeSentence } from './output/escape.js'
import { flush } from './output/flush.js'
import { say } from './output/terminal.js'
import { createProgram } from './program.js'

// From dist/, where this is published.
const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

process.stdout.once('error', (error: NodeJS.ErrnoException) => {
  // Each further write fails as well.
  process.stdout.on('error', () => undefined)
  // With EPIPE the reader of a pipe has seen enough.
  if (error.code !== 'EPIPE') {
    say(`could not write the output: ${error.message}`)
    process.exitCode = exitCodes.ownFailure
  }
  void flush(process.stderr).then(() => process.exit())
})
// A terminal that was closed, for example: words that reach nobody are no reason to stop.
process.stderr.on('error', () => undefined)

// Holdfast's timers keep no process alive, and without a connection there is nothing else: an outage is waited out.
setInterval(() => undefined, 60_000)

void main()

async function main(): Promise<never> {
  try {
    await createProgram(version).parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    } else {
      say(messageOf(error))
      if (error instanceof ExitError)
        for (const line of error.details) process.stderr.write(`${escapeSentence(line)}\n`)
      process.exitCode = exitCodeOf(error)
    }
  }
  await flush(process.stdout, process.stderr)
  // What a broken link still keeps open is not worth waiting for.
  process.exit()
}
