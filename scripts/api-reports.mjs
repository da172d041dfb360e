// Usage: node scripts/api-reports.mjs [--check]
// Writes the public surface of each published package to api/<name>.api.md, from the built declarations: what its main entry exports, and a
// namespace for each other one. With --check it writes nothing and fails when a report is not what it would write.
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { folderOf, publishedPackages, root } from './lib/workspace.mjs'

const check = process.argv.includes('--check')

/** By these paths packages find the sources of others, while what is published finds declarations. */
const { compilerOptions } = JSON.parse(readFileSync(`${root}tsconfig.base.json`, 'utf8'))
delete compilerOptions.paths

/** `./read-write-lock` as `readWriteLock`. */
const nameOf = (entry) => entry.replace(/^\.\//, '').replace(/-(.)/g, (_, letter) => letter.toUpperCase())

/** Declarations of all that the entries of a package export. */
function surfaceOf(exports) {
  const entries = Object.entries(exports).filter(([, { import: file }]) => file !== undefined)
  const lines = entries.map(
    ([
      entry,
      {
        import: { types },
      },
    ]) => {
      const module = `./${types.slice('./dist/esm/'.length).replace(/\.d\.ts$/, '.js')}`
      if (entry === '.') return `export * from '${module}'`
      return `import * as ${nameOf(entry)} from '${module}'\nexport { ${nameOf(entry)} }`
    },
  )
  return `${lines.join('\n')}\n`
}

function configFor(name) {
  const folder = `${root}${folderOf(name)}`
  const { exports } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const [surface, text] = [`${folder}/build/surface.d.ts`, surfaceOf(exports)]
  // Bundles are as old as what they are made of.
  if (!existsSync(surface) || readFileSync(surface, 'utf8') !== text) writeFileSync(surface, text)
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: `${folder}/package.json`,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: '<projectFolder>/build/surface.d.ts',
      compiler: { overrideTsconfig: { compilerOptions, include: ['build'] } },
      newlineKind: 'lf',
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
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

mkdirSync(`${root}api`, { recursive: true })
for (const name of publishedPackages) {
  const report = `${name}.api.md`
  const { apiReportChanged, errorCount } = Extractor.invoke(configFor(name), {
    localBuild: !check,
    messageCallback: (message) => {
      // Reported below in this project's own words.
      if (message.messageId.startsWith('console-')) message.handled = message.logLevel !== 'error'
    },
  })
  if (check && apiReportChanged) {
    console.error(
      `api/${report} does not match the public surface. Run \`npm run generate\` and review the difference.`,
    )
  } else {
    console.log(`api/${report} ${apiReportChanged ? 'written' : 'is up to date'}`)
  }
  if (errorCount > 0 || (check && apiReportChanged)) process.exitCode = 1
}
