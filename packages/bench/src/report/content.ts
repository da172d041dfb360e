import type { Scenario } from '../scenario.js'
import type { Report } from './report.js'
import { floorsTable, machineTable, settingsTable } from './settings.js'
import { sharedTargetsTable } from './shared-targets.js'
import { targetsTable } from './targets.js'
import { viewOf } from './views.js'

/** The content between a document's markers of this name. */
export function contentOf(name: string, { facts, figures }: Report, scenarios: readonly Scenario[]): string {
  const others: Readonly<Record<string, () => string>> = {
    machine: () => machineTable(facts),
    floors: () => floorsTable(),
    settings: () => settingsTable(facts),
    targets: () => targetsTable(scenarios, figures),
    'shared-targets': () => sharedTargetsTable(scenarios, figures),
  }
  const content = others[name]?.() ?? viewOf(name, scenarios, figures)
  if (content === undefined) throw new Error(`unknown figures marker ${name}`)
  return content
}
