import { Argument, type Command, type Option } from 'commander'
import { printLine } from '../output/terminal.js'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'which one').choices(shells))
    .addHelpText(
      'after',
      `
bash: eval "$(holdfast completion bash)" in ~/.bashrc
zsh:  eval "$(holdfast completion zsh)" in ~/.zshrc, behind compinit
fish: holdfast completion fish > ~/.config/fish/completions/holdfast.fish`,
    )
    .action((shell: Shell) => printLine(completionScript(program, shell)))
}

interface Word {
  readonly word: string
  readonly description: string
}

interface Completed extends Word {
  readonly options: readonly Word[]
}

/** The script for one shell, from the commands as they are. */
export function completionScript(program: Command, shell: Shell): string {
  const commands = program.commands.map((command) => ({
    word: command.name(),
    description: command.description(),
    options: command.options.filter(({ hidden }) => !hidden).flatMap(wordsOf),
  }))
  return { bash, zsh, fish }[shell](commands)
}

const wordsOf = ({ long, short, description }: Option): Word[] =>
  [long, short].flatMap((word) => (word == null ? [] : [{ word, description }]))

const joined = (words: readonly Word[]): string => words.map(({ word }) => word).join(' ')

/** What comes behind `--` is the command to run, which the shell completes as usual. */
const bash = (commands: readonly Completed[]): string => `# holdfast completion bash
_holdfast() {
  local word=\${COMP_WORDS[COMP_CWORD]} i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ \${COMP_WORDS[i]} == -- ]]; then
      COMPREPLY=($(compgen -c -f -- "$word"))
      return
    fi
  done
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${joined(commands)}' -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${commands.map(({ word, options }) => `    ${word}) COMPREPLY=($(compgen -W '${joined(options)}' -- "$word")) ;;`).join('\n')}
  esac
}
complete -F _holdfast holdfast`

/** In single quotes, with the colon escaped that zsh puts between a word and its description. */
const described = ({ word, description }: Word): string =>
  `'${`${word}:${description.replaceAll(':', '\\:')}`.replaceAll("'", "'\\''")}'`

const zsh = (commands: readonly Completed[]): string => `#compdef holdfast
_holdfast() {
  local -a words_of
  local at=\${words[(i)--]}
  if ((at < CURRENT)); then
    shift at words
    ((CURRENT -= at))
    _normal
    return
  fi
  if ((CURRENT == 2)); then
    words_of=(${commands.map(described).join(' ')})
    _describe command words_of
    return
  fi
  case \${words[2]} in
${commands.map(({ word, options }) => `    ${word}) words_of=(${options.map(described).join(' ')}) ;;`).join('\n')}
  esac
  _describe option words_of
}
compdef _holdfast holdfast`

const fishText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const fish = (commands: readonly Completed[]): string =>
  [
    '# holdfast completion fish',
    ...commands.map(
      ({ word, description }) =>
        `complete -c holdfast -n __fish_use_subcommand -f -a ${word} -d ${fishText(description)}`,
    ),
    ...commands.flatMap(({ word: command, options }) =>
      options.map(({ word, description }) => {
        const flag = word.startsWith('--') ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`
        return `complete -c holdfast -n '__fish_seen_subcommand_from ${command}' ${flag} -d ${fishText(description)}`
      }),
    ),
  ].join('\n')
