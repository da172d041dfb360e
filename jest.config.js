/** Sources are compiled by swc; types are checked by `pnpm types`. */
export const project = (name, testMatch, more = {}) => ({
  displayName: name,
  testMatch,
  testEnvironment: 'node',
  runner: '<rootDir>/scripts/lib/by-the-clock-first.mjs',
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
    '^@holdfast/([a-z-]+)/([a-z]+)$': [
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

/** @type {import('jest').Config} */
export default {
  projects: [
    project('unit', [
      '<rootDir>/{packages,verification}/*/src/**/*.spec.ts',
      '<rootDir>/scripts/test/*.spec.mjs',
    ]),
    // On what is built, but without a server: whatever is called so, and the examples of docs/recipes/testing.md.
    project('no-server', [
      '<rootDir>/{packages/*,verification/*,bench,examples}/test/**/*.offline.test.ts',
      '<rootDir>/examples/testing/jest.test.{mjs,cjs}',
    ]),
    project(
      'integration',
      [
        '<rootDir>/packages/*/test/**/*.test.ts',
        '<rootDir>/verification/!(redisson)/test/**/*.test.ts',
        '<rootDir>/bench/test/**/*.test.ts',
        '<rootDir>/examples/test/**/*.test.ts',
        '<rootDir>/scripts/test/*.test.mjs',
      ],
      {
        testPathIgnorePatterns: ['/node_modules/', '\\.offline\\.test\\.ts$'],
        globalSetup: '<rootDir>/verification/testkit/jest-global-setup.js',
        globalTeardown: '<rootDir>/verification/testkit/jest-global-teardown.js',
      },
    ),
  ],
  // Ends what hangs, and does not judge speed.
  testTimeout: 300_000,
  testSequencer: '<rootDir>/scripts/lib/long-first.mjs',
  // Of a minute that a file takes, its tests wait for leases, outages and servers for about three quarters.
  maxWorkers: 4,
  // Each file leaves an `AsyncLocalStorage` behind, to which Node.js before 24 attends at every promise: a hundred make promises
  // forty times slower.
  workerIdleMemoryLimit: '250MB',
}
