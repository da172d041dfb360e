// Usage: node scripts/api-reports.mjs [--check]
// Writes the public surface of each published package to etc/<name>.api.md, from the built type declarations.
// With --check it writes nothing and fails when a report is not what it would write.
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor'
import { mkdirSync } from 'node:fs'
import { publishedPackages, root } from './lib/workspace.mjs'

const check = process.argv.includes('--check')

function configFor(name) {
  const folder = `${root}packages/${name}`
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: `${folder}/package.json`,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: '<projectFolder>/dist/esm/index.d.ts',
      compiler: { tsconfigFilePath: '<projectFolder>/tsconfig.json' },
      newlineKind: 'lf',
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: `${root}etc/`,
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

mkdirSync(`${root}etc`, { recursive: true })
for (const name of publishedPackages) {
  const { apiReportChanged, errorCount } = Extractor.invoke(configFor(name), {
    localBuild: !check,
    messageCallback: (message) => {
      // Said below in this project's words.
      if (message.messageId.startsWith('console-')) message.handled = message.logLevel !== 'error'
    },
  })
  if (check && apiReportChanged) {
    console.error(
      `etc/${name}.api.md does not match the public surface. Run \`pnpm api\` and review the difference.`,
    )
  } else {
    console.log(`etc/${name}.api.md ${apiReportChanged ? 'written' : 'is up to date'}`)
  }
  if (errorCount > 0 || (check && apiReportChanged)) process.exitCode = 1
}
