import {
  documentationOf,
  elementsOf,
  exportNames,
  exportOf,
  fieldsOf,
  isClass,
  isNever,
  isOptional,
  literalOf,
  membersOf,
  ownMembersOf,
  positionOf,
  tagOf,
} from './declarations.mjs'
import { root } from './workspace.mjs'

// The root depends on no package that it builds.
const { metricDefinitions, prometheusNameOf } = await import(`${root}packages/metrics/build/index.js`)
const { createProgram } = await import(`${root}packages/cli/build/program.js`)

const cell = (text) =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .replaceAll(/\s- (?=`)/g, '; ')
const code = (text) => `\`${text}\``

function table(head, rows) {
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** The members of the interfaces, each once, without those of interfaces that are written with a `-`. */
function options(...names) {
  const [left, taken] = [true, false].map((isLeft) => names.filter((name) => name.startsWith('-') === isLeft))
  const seen = new Set(left.flatMap((name) => membersOf(exportOf(name.slice(1)))).map(({ name }) => name))
  const rows = taken
    .flatMap((name) => membersOf(exportOf(name)))
    .filter((member) => !isNever(member) && !seen.has(member.name) && seen.add(member.name))
    .map((member) => [
      code(member.name),
      tagOf(member, 'defaultValue') || (isOptional(member) ? 'none' : 'required'),
      documentationOf(member),
    ])
  return table(['Option', 'Default', 'Meaning'], rows)
}

const errors = () =>
  table(
    ['Class', '`code`', 'When', 'Also has', 'What to do'],
    errorClasses().map((symbol) => {
      const members = membersOf(symbol)
      return [
        code(symbol.name),
        code(codeOf(symbol)),
        documentationOf(symbol),
        members
          .map(({ name }) => name)
          .filter((name) => !ofAllErrors.has(name))
          .map(code)
          .join(', '),
        tagOf(symbol, 'remarks'),
      ]
    }),
  )

/** What every error has is said once. */
const ofAllErrors = new Set(membersOf(exportOf('HoldfastError')).map(({ name }) => name))
const codeOf = (symbol) => literalOf(membersOf(symbol).find(({ name }) => name === 'code'))

/** In the order of the source: the most frequent ones first. */
const errorClasses = () =>
  exportNames
    .filter((name) => name.endsWith('Error') && name !== 'HoldfastError')
    .map(exportOf)
    .filter(isClass)
    .sort((a, b) => positionOf(a) - positionOf(b))

const nameOfField = (field) => code(`${field.name}${isOptional(field) ? '?' : ''}`)

function events() {
  const common = new Set(membersOf(exportOf('LockEvent')).map(({ name }) => name))
  return table(
    ['Event', 'Fields', 'When'],
    ownMembersOf(exportOf('HoldfastEvents')).map((event) => {
      const fields = fieldsOf(elementsOf(event)[0])
      const own =
        event.name === 'error' ? [] : fields.filter(({ name }) => !common.has(name)).map(nameOfField)
      return [
        code(event.name),
        event.name === 'error' ? 'the error, and `{ count }`' : own.join(' '),
        documentationOf(event),
      ]
    }),
  )
}

function channels() {
  return table(
    ['Channel', 'Fields', 'What is published'],
    ownMembersOf(exportOf('HoldfastChannels')).map((channel) => [
      code(channel.name),
      membersOf(channel).map(nameOfField).join(' '),
      documentationOf(channel),
    ]),
  )
}

const metrics = () =>
  table(
    ['Metric', 'In Prometheus', 'Instrument', 'Unit', 'Attributes', 'What it measures'],
    metricDefinitions.map((each) => [
      code(each.name),
      code(prometheusNameOf(each)),
      each.instrument,
      code(each.unit),
      [...(each.hasGroup ? ['group'] : []), ...each.attributes].map(code).join(' '),
      each.description,
    ]),
  )

function flagsOf(command) {
  const help = command.createHelp()
  const both = (each, kind) => [code(help[`${kind}Term`](each)), help[`${kind}Description`](each)]
  return [
    ...help.visibleArguments(command).map((each) => both(each, 'argument')),
    ...help.visibleOptions(command).map((each) => both(each, 'option')),
  ]
}

const keyOf = (flag) => flag.join(' ')

function commands() {
  const help = ['Argument or option', 'Meaning']
  const all = createProgram('').commands.map((command) => ({ command, flags: flagsOf(command) }))
  // What reaches a store takes the same options everywhere.
  const isCommon = (flag) =>
    all.filter(({ flags }) => flags.some((each) => keyOf(each) === keyOf(flag))).length > 4
  const common = new Map(
    all.flatMap(({ flags }) => flags.filter(isCommon)).map((flag) => [keyOf(flag), flag]),
  )
  return [
    ...all.flatMap(({ command, flags }) => [
      `## ${command.name()}`,
      `\`\`\`text\n${command.createHelp().commandUsage(command)}\n\`\`\``,
      `${command.description()[0].toUpperCase()}${command.description().slice(1)}.`,
      table(
        help,
        flags.filter((flag) => !isCommon(flag)),
      ),
    ]),
    '## Options of every command that reaches a store',
    table(help, [...common.values()]),
  ].join('\n\n')
}

const fields = (name) =>
  table(
    ['Field', 'Meaning'],
    membersOf(exportOf(name)).map((member) => [nameOfField(member), documentationOf(member)]),
  )

const makers = { options, fields, errors, events, channels, metrics, commands }

/** The page with each `<!-- made: what -->` followed by what the code says today. */
export function withTables(page) {
  return page.replaceAll(/(<!-- made: (.+?) -->\n).*?(\n<!-- end of made -->)/gs, (_, begin, what, end) => {
    const [kind, ...names] = what.split(' ')
    return `${begin}\n${makers[kind](...names)}\n${end}`
  })
}
