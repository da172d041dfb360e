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
const { metricDefinitions, prometheusNameOf } = await import(`${root}packages/core/build/metrics/index.js`)

/** A list of a docstring is one in the cell, too. */
const cell = (text) =>
  text
    .replaceAll(/\n\s*- /g, '<br>• ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '\\|')
const code = (text) => `\`${text}\``

function table(head, rows) {
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** The first paragraph, with the list that it announces: a table is to be looked over, and the API reference has the rest. */
function summaryOf(symbol) {
  const [first, list] = documentationOf(symbol).split('\n\n')
  return first.endsWith(':') ? `${first}\n${list}` : first
}

/** The members of the interfaces, each once, required ones first, without those of interfaces that are written with a `-`. */
function options(...names) {
  const [left, taken] = [true, false].map((isLeft) => names.filter((name) => name.startsWith('-') === isLeft))
  const seen = new Set(left.flatMap((name) => membersOf(exportOf(name.slice(1)))).map(({ name }) => name))
  const rows = taken
    .flatMap((name) => membersOf(exportOf(name)))
    .filter((member) => !isNever(member) && !seen.has(member.name) && seen.add(member.name))
    .sort((a, b) => Number(isOptional(a)) - Number(isOptional(b)))
    .map((member) => [
      code(member.name),
      tagOf(member, 'defaultValue') || (isOptional(member) ? 'none' : 'required'),
      summaryOf(member),
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
        summaryOf(event),
      ]
    }),
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

const makers = { options, errors, events, metrics }

/** The page with each `<!-- made: what -->` followed by what the code says today. */
export function withTables(page) {
  return page.replaceAll(/(<!-- made: (.+?) -->\n).*?(\n<!-- end of made -->)/gs, (_, begin, what, end) => {
    const [kind, ...names] = what.split(' ')
    return `${begin}\n${makers[kind](...names)}\n${end}`
  })
}
