/** Which parts of the core may know which: the lower ones know nothing of those above. Types count too. */
const layers = [
  'util',
  'engine',
  'time',
  'ownership',
  'channels',
  'holding',
  'waiting',
  'composing',
  'operating',
  'objects',
]
const core = '^packages/core/src/'

const upward = layers.flatMap((layer, i) => {
  const above = layers.slice(i + 1)
  return above.length === 0
    ? []
    : [
        {
          name: `${layer}-knows-nothing-above`,
          severity: 'error',
          comment: `${layer} is below ${above.join(', ')}`,
          from: { path: `${core}${layer}/`, pathNot: '\\.spec\\.ts$' },
          to: { path: `${core}(${above.join('|')})/` },
        },
      ]
})

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      severity: 'error',
      comment: 'Modules that need each other are one module, or one of them names an interface of its own.',
      from: { path: '^(packages|bench|verification)/' },
      to: { circular: true },
    },
    ...upward,
    {
      name: 'engines-are-chosen-in-one-place',
      severity: 'error',
      comment:
        'Clients wire engines, objects bring along their steps on Redis; index.ts exports the types of options.',
      from: {
        path: core,
        pathNot: [
          `${core}redis/`,
          `${core}(holdfast|holdfast-quorum|lock-client|lock/index|index)\\.ts$`,
          `${core}objects/(count-down-latch|multi-lock|read-write-lock|semaphore)\\.ts$`,
          '\\.spec\\.ts$',
        ],
      },
      to: { path: `${core}redis/` },
    },
    {
      name: 'an-engine-knows-the-port-only',
      severity: 'error',
      comment:
        'An engine stores locks; owners, holds and waiters are none of its business, but for how owners are named.',
      from: { path: `${core}redis/`, pathNot: '\\.spec\\.ts$' },
      to: { path: `${core}(time|holding|waiting|composing|objects|wiring|holdfast)` },
    },
    {
      name: 'a-variant-stays-in-its-folder',
      severity: 'error',
      comment: 'Those who share nothing with Redisson load none of it: it is an entry of its own.',
      from: { path: core, pathNot: [`${core}redis/redisson/`] },
      to: { path: `${core}redis/redisson/` },
    },
    {
      name: 'engines-use-the-port',
      severity: 'error',
      comment: 'Of the core, another engine imports @holdfast/core/engine only.',
      from: {
        path: '^packages/(documents|memory|postgres|session-queue|zookeeper|etcd|memcached|mysql)/src/',
        pathNot: '\\.spec\\.ts$',
      },
      to: { path: core, pathNot: `${core}engine/index\\.ts$` },
    },
    {
      name: 'clients-use-what-is-public',
      severity: 'error',
      comment: 'A package for another Redis library implements the public interface of core.',
      from: { path: '^packages/node-redis/src/', pathNot: '\\.spec\\.ts$' },
      to: { path: core, pathNot: `${core}(engine/)?index\\.ts$` },
    },
    {
      name: 'the-reference-stands-on-the-port',
      severity: 'error',
      comment: 'The pure steps know nothing of documents, so that a store in memory can use them, too.',
      from: { path: '^packages/documents/src/steps/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^packages/documents/src/(?!steps/)' },
    },
    {
      name: 'the-model-knows-no-server',
      severity: 'error',
      comment:
        'A store of steps belongs to the package that keeps the objects; of others it needs the port and the reference.',
      from: { path: '^verification/model/src/' },
      to: { path: '^packages/', pathNot: '^packages/(core/src/engine|documents/src/steps)/index\\.ts$' },
    },
    {
      name: 'opentelemetry-in-its-subpath-only',
      severity: 'error',
      comment: 'Users of one telemetry library must not be made to install another.',
      from: { path: '^packages/', pathNot: '^packages/metrics/src/otel/' },
      to: { path: '(node_modules/@opentelemetry|^packages/metrics/src/otel)/' },
    },
    {
      name: 'prom-client-in-its-subpath-only',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/metrics/src/prometheus/' },
      to: { path: '(node_modules/prom-client|^packages/metrics/src/prometheus)/' },
    },
    {
      name: 'watchdog-and-pubsub-know-no-locks',
      severity: 'error',
      from: { path: '^packages/(watchdog|pubsub)/src/' },
      to: { path: '^packages/', pathNot: '^packages/$1/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.test.json' },
    doNotFollow: { path: ['node_modules', '/(build|dist)/'] },
    exclude: { path: ['/(build|dist)/', '\\.cache/'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types'] },
  },
}
