import { Command } from 'commander'
import { addDashboard } from './commands/dashboard.js'
import { addDoctor } from './commands/doctor.js'
import { addInspect } from './commands/inspect.js'
import { addLs } from './commands/ls.js'
import { addRun } from './commands/run.js'
import { addUnlock } from './commands/unlock.js'
import { addVerify } from './commands/verify.js'
import { escapeSentence } from './output/escape.js'

/** The command line: what each command does is in commands/. */
export function createProgram(version: string): Command {
  const program = new Command('holdfast')
    .description('Distributed locks: run commands under them, see who holds them, evict holders')
    .version(version)
    .exitOverride()
    // Arguments are repeated in messages, and may come from anywhere.
    .configureOutput({
      writeErr: (text) => process.stderr.write(text.split('\n').map(escapeSentence).join('\n')),
    })
    .showHelpAfterError('(holdfast --help, or holdfast <command> --help, lists all options)')
  addRun(program)
  addLs(program)
  addInspect(program)
  addUnlock(program)
  addDoctor(program)
  addVerify(program)
  addDashboard(program)
  // Only of this one: commands have inherited the other.
  return program.showHelpAfterError(
    '(options follow the command, as in holdfast ls --url redis://…; holdfast --help lists all commands)',
  )
}
