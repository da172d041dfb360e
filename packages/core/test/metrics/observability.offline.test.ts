import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { metricDefinitions, prometheusNameOf } from '../../src/metrics/index.js'

const folder = join(__dirname, '../../../../observability')
const read = (file: string): string => readFileSync(join(folder, file), 'utf8')

interface Dashboard {
  readonly panels: readonly {
    readonly title: string
    readonly targets: readonly { readonly expr: string }[]
  }[]
}

function isDashboard(value: unknown): value is Dashboard {
  return typeof value === 'object' && value !== null && 'panels' in value && Array.isArray(value.panels)
}

function readDashboard(): Dashboard {
  const dashboard: unknown = JSON.parse(read('grafana-dashboard.json'))
  if (!isDashboard(dashboard)) throw new Error('not a dashboard')
  return dashboard
}

const { panels } = readDashboard()
const panelQueries = panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [`panel ${title}`, expr] as const),
)
const alertQueries = [...read('alerts.yml').matchAll(/alert: (\w+)\n +expr: (.+)\n/g)].map(
  ([, alert = '', expr = '']) => [`alert ${alert}`, expr] as const,
)
const queries = [...panelQueries, ...alertQueries]

/** What Prometheus adds to every series. */
const addedLabels = ['job', 'instance']

/** The series of each metric, with the labels that they have. */
const series = new Map(
  metricDefinitions.flatMap((definition): [string, string[]][] => {
    const name = prometheusNameOf(definition)
    const labels = [...addedLabels, ...definition.attributes, ...(definition.hasGroup ? ['group'] : [])]
    if (definition.instrument !== 'histogram') return [[name, labels]]
    return [
      [`${name}_bucket`, [...labels, 'le']],
      [`${name}_sum`, labels],
      [`${name}_count`, labels],
    ]
  }),
)

const namesIn = (query: string): string[] => query.match(/\bholdfast_\w+/g) ?? []

const labelsIn = (query: string): string[] => [
  ...[...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/, */)),
  ...[...query.matchAll(/(\w+) *(?:=~|!~|!=|=) *"/g)].map(([, label = '']) => label),
]

it('there are panels and alerts', () => {
  expect(panels.length).toBeGreaterThanOrEqual(10)
  expect(alertQueries.map(([title]) => title)).toEqual([
    'alert HoldfastHoldLost',
    'alert HoldfastLeaseMarginLow',
    'alert HoldfastWaiterOld',
    'alert HoldfastErrors',
  ])
})

it.each(queries)('the query of %s names metrics and labels that exist', (_, query) => {
  const names = namesIn(query)
  expect(names.length).toBeGreaterThan(0)
  expect(names.filter((name) => !series.has(name))).toEqual([])
  const known = names.flatMap((name) => series.get(name) ?? [])
  expect(labelsIn(query).filter((label) => !known.includes(label))).toEqual([])
})

it('every metric is on the dashboard', () => {
  const shown = panelQueries.flatMap(([, query]) => namesIn(query)).join(' ')
  expect(metricDefinitions.map(prometheusNameOf).filter((name) => !shown.includes(name))).toEqual([])
})

const hasPromtool = ((): boolean => {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

const onPromtool = hasPromtool ? it : it.skip
const reason = hasPromtool
  ? ''
  : ' (skipped: no promtool on the PATH; Debian has it in the package prometheus)'

onPromtool(`the alerts fire when they should, and only then${reason}`, () => {
  const output = execFileSync('promtool', ['test', 'rules', 'alerts.test.yml'], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(output).toContain('SUCCESS')
})

onPromtool(`Prometheus understands every query${reason}`, () => {
  const rules = queries.map(([, query], i) => {
    const plain = query.replaceAll('$__rate_interval', '1m').replaceAll('$job', '.*')
    return `      - record: query:${i}\n        expr: ${JSON.stringify(plain)}`
  })
  const scratch = mkdtempSync(join(tmpdir(), 'holdfast-queries-'))
  const file = join(scratch, 'rules.yml')
  writeFileSync(file, `groups:\n  - name: queries\n    rules:\n${rules.join('\n')}\n`)
  try {
    expect(execFileSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })).toContain(
      `SUCCESS: ${queries.length} rules found`,
    )
  } finally {
    rmSync(scratch, { recursive: true })
  }
})
