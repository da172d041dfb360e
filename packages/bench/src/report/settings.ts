import { markdownTable } from 'markdown-table'
import { contenders } from '../contenders/contenders.js'
import { redissons } from '../contenders/redisson.js'
import type { Facts } from './facts.js'

/** The machine and the versions. */
export function machineTable({ cpu, cores, platform, node, redis, libraries }: Facts): string {
  return markdownTable([
    ['', ''],
    ['Processor', `${cpu}, ${cores} cores`],
    ['System', platform],
    ['Node.js', node],
    ['Redis', redis],
    ['ioredis', libraries['ioredis'] ?? ''],
  ])
}

/** The floors, and what each does. */
export function floorsTable(): string {
  const floors = contenders.filter(({ configuration }) => configuration === 'floor')
  return markdownTable([
    ['Floor', 'What it does'],
    ...floors.map(({ library, settings }) => [library, settings]),
  ])
}

/** The libraries, their versions and their settings. */
export function settingsTable({ libraries }: Facts): string {
  const names = [...new Set(contenders.map(({ library }) => library))]
  const rows = names.flatMap((library) => {
    const own = contenders.filter((contender) => contender.library === library)
    const settingsIn = (wanted: string) => own.find(({ configuration }) => configuration === wanted)?.settings
    const best = settingsIn('best')
    return best === undefined
      ? []
      : [[library, versionOf(library, libraries), best, settingsIn('defaults') ?? '']]
  })
  const java = redissons.map(({ title, settings, isDefaults }) =>
    isDefaults ? [title, '', '', settings] : [title, '', settings, ''],
  )
  return markdownTable([['', 'Version', 'Best configuration', 'Defaults'], ...rows, ...java])
}

/** Two releases of one library are imported under separate names. */
const versionOf = (library: string, versions: Facts['libraries']): string =>
  versions[library] ?? versions[library.replace(' ', '-')] ?? ''
