import { Converter, ReflectionKind } from 'typedoc'

/** What users import, by the file that exports it. */
const modules = {
  '@holdfast/core': 'core/src',
  '@holdfast/core/redisson': 'core/src/redis/redisson',
  '@holdfast/core/engine': 'core/src/engine',
  '@holdfast/core/node-redis': 'core/src/node-redis',
  '@holdfast/core/metrics': 'core/src/metrics',
  '@holdfast/core/otel': 'core/src/otel',
  '@holdfast/core/prometheus': 'core/src/prometheus',
  '@holdfast/stores/postgres': 'stores/src/postgres',
  '@holdfast/stores/zookeeper': 'stores/src/zookeeper',
  '@holdfast/stores/etcd': 'stores/src/etcd',
  '@holdfast/stores/memcached': 'stores/src/memcached',
  '@holdfast/stores/mysql': 'stores/src/mysql',
  '@holdfast/stores/memory': 'stores/src/memory',
  '@holdfast/nestjs': 'nestjs/src',
  '@holdfast/cli/dashboard': 'cli/src/dashboard',
}

/** Modules are called as they are imported, not by their folder. */
function nameModules(app) {
  const names = new Map(Object.entries(modules).map(([name, folder]) => [folder, name]))
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_context, reflection) => {
    if (reflection.kind === ReflectionKind.Module)
      reflection.name = names.get(reflection.name) ?? reflection.name
  })
}

export default {
  name: 'API',
  plugin: ['typedoc-plugin-markdown', nameModules],
  tsconfig: '../tsconfig.test.json',
  entryPoints: Object.values(modules).map((folder) => `../packages/${folder}/index.ts`),
  out: 'api',
  parametersFormat: 'table',
  // Types are checked by the build; links from one module into another have no target here.
  skipErrorChecking: true,
  validation: { invalidLink: false },
  readme: 'none',
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  disableSources: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  sort: ['source-order'],
  entryFileName: 'index',
  logLevel: 'Warn',
}
