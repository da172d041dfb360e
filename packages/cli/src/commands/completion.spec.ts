import { execFileSync } from 'node:child_process'
import { Command, Option } from 'commander'
import { completionScript } from './completion.js'

const program = new Command('holdfast')
program
  .command('run')
  .description("runs: a command's work")
  .option('-w, --wait <duration>', 'how long')
  .option('--label <text>', 'name')
  .addOption(new Option('--hidden').hideHelp())
program.command('ls').description('lists').option('--json', 'for programs')

/** What bash completes the last word to. */
const completed = (...words: string[]): string[] => {
  const script = `${completionScript(program, 'bash')}
COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _holdfast; echo "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
    .trim()
    .split(' ')
}

it('bash completes commands, and the options of each that help shows', () => {
  expect(completed('holdfast', '')).toEqual(['run', 'ls'])
  expect(completed('holdfast', 'l')).toEqual(['ls'])
  expect(completed('holdfast', 'run', '--')).toEqual(['--wait', '--label'])
  expect(completed('holdfast', 'ls', '-')).toEqual(['--json'])
})

it('bash completes the command to run behind --', () =>
  expect(completed('holdfast', 'run', 'x', '--', 'hostnam')).toContain('hostname'))

it('zsh and fish get commands and options with their descriptions', () => {
  expect(completionScript(program, 'zsh')).toContain(`'run:runs\\: a command'\\''s work'`)
  expect(completionScript(program, 'fish')).toContain(`-f -a run -d 'runs: a command\\'s work'`)
  expect(completionScript(program, 'fish')).toContain(`'__fish_seen_subcommand_from run' -s w -d 'how long'`)
})
