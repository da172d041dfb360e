const suiteTitle = 'conformance of '
const notPromised = ' – not promised: '
/** What follows a scenario's title: what holds instead, or why it was skipped. */
const addition = / – not promised: | \(skipped: /

/** What one test says about its scenario. */
function markOf({ status, title }) {
  if (status === 'failed') return '✕'
  if (status !== 'passed') return '–'
  return title.includes(notPromised) ? '○' : '●'
}

/** Reads the results of a run into parts, their scenarios, and the marks of each engine. */
function readMarks(results) {
  const engines = new Set()
  const parts = new Map()
  const tests = results
    .flatMap(({ testResults }) => testResults)
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ ancestorTitles: [engine, part] }) => part !== undefined && engine.startsWith(suiteTitle))
  for (const test of tests) {
    const part = test.ancestorTitles[1]
    const engine = test.ancestorTitles[0].slice(suiteTitle.length)
    const [scenario] = test.title.split(addition)
    engines.add(engine)
    if (!parts.has(part)) parts.set(part, new Map())
    const scenarios = parts.get(part)
    if (!scenarios.has(scenario)) scenarios.set(scenario, new Map())
    scenarios.get(scenario).set(engine, markOf(test))
  }
  return { engines: [...engines].sort(), parts }
}

/** One table of engines and scenarios. A scenario that an engine's run does not have stays empty. */
export function conformanceTable(results) {
  const { engines, parts } = readMarks(results)
  const row = (cells) => `| ${cells.join(' | ')} |\n`
  let table = row(['Scenario', ...engines]) + row(['---', ...engines.map(() => ':-:')])
  for (const [part, scenarios] of parts) {
    table += row([`**${part}**`, ...engines.map(() => '')])
    for (const [scenario, marks] of scenarios) {
      table += row([scenario.replaceAll('|', '\\|'), ...engines.map((engine) => marks.get(engine) ?? '')])
    }
  }
  const legend =
    '● holds · ○ not promised by the traits, and what holds instead is asserted · empty: not promised, nothing to assert · – skipped: its title in the results says why · ✕ fails\n'
  return `${table}\n${legend}`
}
