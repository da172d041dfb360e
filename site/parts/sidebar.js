/** Pages by the folder that they are in, or from the root of the site. */
const sections = {
  Start: [
    '/index',
    'should-i-use',
    'quickstart',
    'quickstart-postgres',
    'choose',
    'compatibility',
    'versions',
  ],
  Concepts: ['how-it-works', 'ownership', 'waiting', 'leases', 'fencing', 'shutdown'],
  Objects: ['lock', 'read-write-lock', 'semaphore', 'latch', 'multi-lock', 'quorum-lock'],
  Stores: [
    'index',
    'redis',
    'redis-clients',
    'postgres',
    'postgres-transactions',
    'postgres-operations',
    'pglite',
    'mysql',
    'zookeeper',
    'etcd',
    'memcached',
    'memory',
    'redisson',
  ],
  Recipes: [
    'index',
    'leader-election',
    'cron-jobs',
    'redelivered-jobs',
    'cache-stampede',
    'rate-limits',
    'http-routes',
    'nestjs',
    'bullmq',
    'lambda',
    'deployments',
    'worker-threads',
    'batchers',
    'bundlers',
    'effect',
    'testing',
  ],
  Production: [
    'checklist',
    'timeouts',
    'permissions',
    'capacity',
    'observability',
    'dashboard',
    'cli',
    'inspecting',
    'troubleshooting',
  ],
  Migrate: ['index', 'redlock-4', 'redlock-5', 'redis-semaphore', 'async-mutex', 'redisson'],
  Reference: [
    'calls',
    'options',
    'errors',
    'events',
    'channels',
    'metrics',
    'cli-flags',
    '/reference/api/index',
  ],
  Trust: ['guarantees', 'benchmarks', 'comparison', 'threat-model', 'why'],
  Internals: [
    'architecture',
    'protocol',
    'objects-at-redis',
    'engines',
    'verification',
    'performance',
    'releasing',
  ],
  Project: ['changelog', 'contributing', 'security', 'examples', 'verification'],
}

/** Folder and name of each page, as in `stores/redis.md`, by section. */
const pages = Object.entries(sections).map(([text, names]) => ({
  text,
  pages: names.map(
    (name) => (name.startsWith('/') ? name.slice(1) : `${text.toLowerCase()}/${name}`) + '.md',
  ),
}))

/** Every page that the sidebar leads to. */
export const listed = new Set(pages.flatMap((section) => section.pages))

const forMaintainers = ['Internals', 'Project']

/** `titleOf` reads a page's title, so that it is written once. Maintainers have a sidebar of their own. */
export function sidebarOf(titleOf) {
  const groups = pages.map((section) => ({
    text: section.text,
    items: section.pages.map((page) => ({
      text: titleOf(page),
      link: `/${page.replace(/(index)?\.md$/, '')}`,
    })),
  }))
  const [theirs, users] = [true, false].map((isTheirs) =>
    groups.filter(({ text }) => forMaintainers.includes(text) === isTheirs),
  )
  return { '/': users, '/internals/': theirs, '/project/': theirs }
}
