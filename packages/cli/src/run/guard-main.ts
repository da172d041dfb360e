// The guard of a command: a process that outlives the runner. Started by the runner in a session of its own, so that neither
// Ctrl-C nor Ctrl-Z nor the end of the terminal reaches it.
import { createInterface } from 'node:readline'
import { Guard } from './guard.js'
import type { Order, Report } from './guard-protocol.js'
import { forwarded } from './signals.js'

// A service manager may send to every process what is meant for the command; the guard ends when the command has.
for (const signal of forwarded) process.on(signal, () => undefined)
// The runner may be gone.
process.stdout.on('error', () => undefined)

const report = (text: Report): void => void process.stdout.write(`${text}\n`)
const guard = new Guard(report, () => process.exit(0))

createInterface({ input: process.stdin })
  .on('line', (line) => guard.take(JSON.parse(line) as Order))
  .on('close', () => guard.runnerGone())
report('ready')
