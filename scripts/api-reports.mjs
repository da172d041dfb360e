// Usage: node scripts/api-reports.mjs [--check]
// Writes the public surface of each entry point of a published package to api/<name>.api.md, from the built declarations.
// With --check it writes nothing and fails when a report is not what it would write.
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor'
import { mkdirSync, readFileSync } from 'node:fs'
import { folderOf, libraries, root } from './lib/workspace.mjs'

const check = process.argv.includes('--check')

/** The entry points of packages that have several, by the folder that has them. */
const entriesOf = {
  core: [
    '',
    'lock',
    'semaphore',
    'read-write-lock',
    'latch',
    'multi',
    'quorum',
    'bridge',
    'engine',
    'redis/redisson',
  ],
  metrics: ['', 'otel', 'prometheus'],
  stores: ['memory', 'postgres', 'mysql', 'etcd', 'zookeeper', 'memcached'],
}

/** By these paths packages find the sources of others, while what is published finds declarations. */
const { compilerOptions } = JSON.parse(readFileSync(`${root}tsconfig.base.json`, 'utf8'))
delete compilerOptions.paths

function configFor(name, entry) {
  const folder = `${root}${folderOf(name)}`
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: `${folder}/package.json`,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: `<projectFolder>/build/${entry}index.d.ts`,
      compiler: { overrideTsconfig: { compilerOptions, include: ['build'] } },
      newlineKind: 'lf',
      apiReport: {
        enabled: true,
        reportFileName: reportOf(name, entry),
        reportFolder: `${root}api/`,
        reportTempFolder: `${root}.cache/api/`,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: 'warning' } },
        extractorMessageReporting: {
          default: { logLevel: 'warning', addToApiReportFile: true },
          'ae-missing-release-tag': { logLevel: 'none' },
        },
        tsdocMessageReporting: { default: { logLevel: 'warning', addToApiReportFile: true } },
      },
    },
  })
}

const reportOf = (name, entry) => `${[name, ...entry.split('/').slice(-2, -1)].join('-')}.api.md`

const entries = libraries.flatMap((name) =>
  (entriesOf[name] ?? ['']).map((entry) => [name, entry === '' ? '' : `${entry}/`]),
)

mkdirSync(`${root}api`, { recursive: true })
for (const [name, entry] of entries) {
  const report = reportOf(name, entry)
  const { apiReportChanged, errorCount } = Extractor.invoke(configFor(name, entry), {
    localBuild: !check,
    messageCallback: (message) => {
      // Reported below in this project's own words.
      if (message.messageId.startsWith('console-')) message.handled = message.logLevel !== 'error'
    },
  })
  if (check && apiReportChanged) {
    console.error(
      `api/${report} does not match the public surface. Run \`pnpm api\` and review the difference.`,
    )
  } else {
    console.log(`api/${report} ${apiReportChanged ? 'written' : 'is up to date'}`)
  }
  if (errorCount > 0 || (check && apiReportChanged)) process.exitCode = 1
}
