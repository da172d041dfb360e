import './scripts/embed-lua.mjs'
import './scripts/embed-page.mjs'

/** Sources are compiled by swc; types are checked by `npm run check`. */
export const project = (name, more) => ({
  displayName: name,
  testEnvironment: '<rootDir>/scripts/lib/skips-without-server.mjs',
  transform: {
    '\\.c?ts$|\\.mjs$|tinyqueue|markdown-table|github-slugger|electric-sql|kysely': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', explicitResourceManagement: true },
          target: 'es2022',
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  moduleNameMapper: {
    '^@holdfast/core/redisson$': '<rootDir>/packages/core/src/redis/redisson/index.ts',
    '^@holdfast/([a-z-]+)/([a-z/-]+)$': [
      '<rootDir>/packages/$1/src/$2/index.ts',
      '<rootDir>/verification/$1/src/$2/index.ts',
    ],
    '^@holdfast/((?!interop-)[a-z-]+)$': [
      '<rootDir>/packages/$1/src/index.ts',
      '<rootDir>/verification/$1/src/index.ts',
    ],
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^(\\.{1,2}/.*)\\.cjs$': ['$1.cts', '$1.cjs'],
  },
  // ECMAScript modules only, or modules that import some
  transformIgnorePatterns: [
    '/node_modules/(?!.*(?:tinyqueue|markdown-table|github-slugger|electric-sql|kysely))',
  ],
  modulePathIgnorePatterns: ['/build/', '/dist/', '/.cache/'],
  ...more,
})

/** What `npm test` leaves to `npm run test:all`, of the files that would be in its projects: several servers, and what takes long. */
const left = [
  'bench/test/',
  'cli/test/run-(in-time|terminal)',
  'core/test/conformance/(?!redis\\.test)',
  'core/test/node-redis/',
  'core/test/(failover|minified|multi-lock-cluster|operator|permissions|quorum|replicas|sentinel|snippets-of-stores|topologies)',
  'core/test/(latch-model|missing-permissions|redisson-quorum|redisson-turns|shared-model)',
  'stores/test/(documents|sessions)/mutants',
  // In virtual time it is in verification/sim.
  'stores/test/memory/conformance',
  'examples/test/',
  'nestjs/test/',
  'scripts/test/publish',
]
/** What `test:all` leaves to the nightly, since it only repeats under another driver what others show on the same topology. */
const nightly =
  process.env['HOLDFAST_MATRIX'] === 'full'
    ? []
    : ['core/test/conformance/(iovalkey|node-redis5(-cluster|-sentinel)?|redis-ioredis5)\\.test']

const kept = `^(?!.*/(${left.join('|')})).*/`

/** On what is built, but without a server: whatever is called so, and the examples of docs/recipes/testing.md. */
const noServer = `${kept}(test/.*\\.offline\\.test\\.ts|examples/testing/jest\\.test\\.[cm]js)$`
const oneRedis = `${kept}((core|pubsub)/test/(?!.*offline)|cli/test/(run|guard)|scripts/test/).*\\.test\\.m?[tj]s$`

const withRedis = {
  globalSetup: '<rootDir>/verification/testkit/jest-global-setup.js',
  globalTeardown: '<rootDir>/verification/testkit/jest-global-teardown.js',
}

/** @type {import('jest').Config} */
export default {
  // `npm test` runs all but the last.
  projects: [
    project('unit', {
      testMatch: [
        '<rootDir>/{packages,verification}/*/src/**/*.spec.ts',
        '<rootDir>/scripts/test/*.spec.mjs',
      ],
    }),
    project('no-server', { testRegex: noServer }),
    project('redis', { testRegex: oneRedis, ...withRedis }),
    project('rest', {
      testMatch: [
        '<rootDir>/{packages,verification}/!(redisson)/test/**/*.test.{ts,mjs}',
        '<rootDir>/{bench,examples,scripts}/test/**/*.test.{ts,mjs}',
      ],
      testPathIgnorePatterns: ['/node_modules/', noServer, oneRedis, ...nightly],
      ...withRedis,
    }),
  ],
  // Ends what hangs, and does not judge speed.
  testTimeout: 300_000,
  testSequencer: '<rootDir>/scripts/lib/long-first.mjs',
  // Of a minute that a file takes, its tests wait for leases, outages and servers for about three quarters.
  maxWorkers: 6,
  // Each file leaves an `AsyncLocalStorage` behind, to which Node.js before 24 attends at every promise: a hundred make promises
  // forty times slower.
  workerIdleMemoryLimit: '250MB',
}
