/** Which parts of the core may know which: the lower ones know nothing of those above. Types count too. */
const layers = ['time', 'util', 'engine', 'ownership', 'holding', 'waiting', 'objects']
/** Parts that many programs do without, and that no other part of the core names but as a type: so bundlers can leave them out. */
const leaves = [
  'bridge',
  'channels',
  'latch',
  'multi',
  'operating',
  'quorum',
  'read-write-lock',
  'semaphore',
  'redis/redisson',
]
/** What may name them: the client that has all of them, and what is public. */
const faces = ['holdfast', 'index', 'lock/index']
const core = '^packages/core/src/'
/** What stands on core as packages of others would, by what they bring along of each other. */
const outsiders = { 'node-redis': [], metrics: [], otel: ['metrics'], prometheus: ['metrics'] }
/** A client's side of a store, and of a quorum: all of their parts get the whole of it, and name its type. */
const wholes = `${core}(store-client|quorum/client)\\.ts$`

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

/** A quorum has what any `Holdfast` has. */
const usersOf = { channels: [`${core}quorum/`], operating: [`${core}quorum/`] }

const isolated = leaves.map((leaf) => ({
  name: `${leaf.replace('/', '-')}-is-a-leaf`,
  severity: 'error',
  comment: `Programs without it must not load it: name ${leaf} as a type only, or let it attach itself.`,
  from: {
    path: core,
    pathNot: [
      `${core}${leaf}/`,
      `${core}(${faces.join('|')})\\.ts$`,
      '\\.spec\\.ts$',
      ...(usersOf[leaf] ?? []),
    ],
  },
  to: { path: `${core}${leaf}/`, dependencyTypesNot: ['type-only'] },
}))

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      severity: 'error',
      comment: 'Modules that need each other are one module, or one of them names an interface of its own.',
      from: { path: '^(packages|bench|verification)/' },
      to: { circular: true, viaOnly: { pathNot: wholes } },
    },
    {
      name: 'parts-know-their-client-as-a-type',
      severity: 'error',
      comment: 'A part is made by its client, and gets it: only clients, and what makes them, load it.',
      from: {
        path: core,
        pathNot: [`${core}(lock-client|quorum/(master|client|holdfast-quorum))\\.ts$`, '\\.spec\\.ts$'],
      },
      to: { path: wholes, dependencyTypesNot: ['type-only'] },
    },
    ...upward,
    ...isolated,
    {
      name: 'engines-are-chosen-in-one-place',
      severity: 'error',
      comment:
        'Clients wire engines, and leaves bring along their steps on Redis; faces export the types of options.',
      from: {
        path: core,
        pathNot: [
          `${core}redis/`,
          `${core}(lock-client|${faces.join('|')})\\.ts$`,
          `${core}(${leaves.join('|')})/`,
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
      to: {
        path: `${core}(holding|waiting|objects|holdfast|lock-client|store-client|${leaves.filter((leaf) => leaf !== 'redis/redisson').join('|')})`,
      },
    },
    {
      name: 'engines-use-the-port',
      severity: 'error',
      comment: 'Of the core, another engine imports @holdfast/core/engine only.',
      from: {
        path: '^packages/stores/src/',
        pathNot: '\\.spec\\.ts$',
      },
      to: { path: core, pathNot: `${core}engine/index\\.ts$` },
    },
    {
      name: 'stores-share-documents-and-sessions-only',
      severity: 'error',
      comment:
        'Programs with one store must not load another: of each other, stores import what is public of those two.',
      from: { path: '^packages/stores/src/([^/]+)/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^packages/stores/src/',
        pathNot: '^packages/stores/src/($1/|documents/(steps/)?index\\.ts$|sessions/index\\.ts$)',
      },
    },
    {
      name: 'documents-and-sessions-know-no-store',
      severity: 'error',
      comment: 'They are engines over a port: drivers, and each other, are for the stores.',
      from: { path: '^packages/stores/src/(documents|sessions)/', pathNot: '\\.spec\\.ts$' },
      to: { path: ['^packages/stores/src/(?!$1/)', 'node_modules'] },
    },
    {
      name: 'pg-in-its-store-only',
      severity: 'error',
      comment: 'Users of one store must not be made to install the driver of another.',
      from: { path: '^packages/stores/src/', pathNot: '^packages/stores/src/postgres/' },
      to: { path: 'node_modules/(@types/pg|pg|@electric-sql)/' },
    },
    {
      name: 'mysql2-in-its-store-only',
      severity: 'error',
      from: { path: '^packages/stores/src/', pathNot: '^packages/stores/src/mysql/' },
      to: { path: 'node_modules/mysql2/' },
    },
    {
      name: 'core-knows-no-outsider',
      severity: 'error',
      comment:
        'Another Redis library and metrics are entries of their own, which no other part of the core names.',
      from: { path: core, pathNot: `${core}(${Object.keys(outsiders).join('|')})/` },
      to: { path: `${core}(${Object.keys(outsiders).join('|')})/` },
    },
    ...Object.entries(outsiders).map(([name, others]) => ({
      name: `${name}-uses-what-is-public`,
      severity: 'error',
      comment: 'They could be packages of their own: of the core they use its public interface and the port.',
      from: { path: `${core}${name}/`, pathNot: '\\.spec\\.ts$' },
      to: { path: core, pathNot: `${core}((engine/)?index\\.ts$|(${[name, ...others].join('|')})/)` },
    })),
    {
      name: 'the-reference-stands-on-the-port',
      severity: 'error',
      comment: 'The pure steps know nothing of documents, so that a store in memory can use them, too.',
      from: { path: '^packages/stores/src/documents/steps/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^packages/stores/src/documents/(?!steps/)' },
    },
    {
      name: 'the-model-knows-no-server',
      severity: 'error',
      comment:
        'A store of steps belongs to the package that keeps the objects; of others it needs the port and the reference.',
      from: { path: '^verification/model/src/' },
      to: {
        path: '^packages/',
        pathNot: '^packages/(core/src/engine|stores/src/documents/steps)/index\\.ts$',
      },
    },
    {
      name: 'opentelemetry-in-its-subpath-only',
      severity: 'error',
      comment: 'Users of one telemetry library must not be made to install another.',
      from: { path: '^packages/', pathNot: `${core}otel/` },
      to: { path: 'node_modules/@opentelemetry/' },
    },
    {
      name: 'prom-client-in-its-subpath-only',
      severity: 'error',
      from: { path: '^packages/', pathNot: `${core}prometheus/` },
      to: { path: 'node_modules/prom-client/' },
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
