import { execFileSync } from 'node:child_process'
import { skippedIf } from '@holdfast/testkit'
import type { CliOptions } from './cli.js'

/** Whether there is the `script` of util-linux, which runs a program at a terminal of its own; that of BSD takes other arguments. */
function hasScript(): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')
  } catch {
    return false
  }
}

export const describeAtTerminal = skippedIf(
  !hasScript() && 'there is no script of util-linux on the PATH',
  describe,
)

/** `exec`, because a shell that stays in between gets Ctrl-C as well, and may end with a code of its own. */
export const atTerminal: CliOptions = {
  under: (line) => ['script', '-qefc', `exec ${line}`, '/dev/null'],
  // Node takes a terminal for one without colours where CI is set.
  env: { TERM: 'xterm-256color', CI: undefined, NODE_DISABLE_COLORS: undefined },
}
