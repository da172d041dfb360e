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
