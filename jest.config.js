/** Sources are compiled by swc; types are checked by `pnpm types`. */
export const project = (name, testMatch, more = {}) => ({
  displayName: name,
  testMatch,
  testEnvironment: 'node',
  transform: {
    '\\.c?ts$|\\.mjs$|tinyqueue|github-slugger|electric-sql': [
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
    '^@holdfast/core/engine$': '<rootDir>/packages/core/src/engine/index.ts',
    '^@holdfast/([a-z]+)$': '<rootDir>/packages/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^\\./ioredis\\.cjs$': '<rootDir>/packages/core/src/redis/connection/ioredis.cts',
  },
  // ECMAScript modules only, or modules that import some
  transformIgnorePatterns: ['/node_modules/(?!.*(?:tinyqueue|github-slugger|electric-sql))'],
  modulePathIgnorePatterns: ['/dist/', '/.cache/'],
  ...more,
})

/** Tests that build on what is compiled, but start no server. */
const withoutServer = [
  'examples/test/package-readmes.test.ts',
  'examples/test/testing.test.ts',
  'examples/testing/jest.test.mjs',
  'examples/testing/jest.test.cjs',
  'packages/bench/test/report.test.ts',
  'packages/bench/test/simulation.test.ts',
  'packages/chaos/test/safety-docs.test.ts',
  'packages/conformance/test/documents.test.ts',
  'packages/conformance/test/memory.test.ts',
  'packages/conformance/test/trial.test.ts',
  'packages/core/test/docs.test.ts',
  'packages/core/test/feature-table.test.ts',
  'packages/core/test/troubleshooting-docs.test.ts',
  'packages/core/test/errors.test.ts',
  'packages/core/test/options.test.ts',
  'packages/memory/test/channels.test.ts',
  'packages/memory/test/holdfast.test.ts',
  'packages/memory/test/oversight.test.ts',
  'packages/metrics/test/measure.test.ts',
  'packages/otel/test/instrumentation.test.ts',
  'packages/prometheus/test/collect.test.ts',
  'packages/prometheus/test/observability.test.ts',
].map((file) => `<rootDir>/${file}`)

/** @type {import('jest').Config} */
export default {
  projects: [
    project('unit', ['<rootDir>/packages/*/src/**/*.spec.ts', '<rootDir>/scripts/test/*.spec.mjs']),
    project('no-server', withoutServer),
    project(
      'integration',
      [
        '<rootDir>/packages/*/test/**/*.test.ts',
        '<rootDir>/examples/test/**/*.test.ts',
        '<rootDir>/scripts/test/*.test.mjs',
      ],
      {
        testPathIgnorePatterns: ['/node_modules/', ...withoutServer],
        globalSetup: '<rootDir>/packages/testkit/dist/jest-global-setup.js',
        globalTeardown: '<rootDir>/packages/testkit/dist/jest-global-teardown.js',
      },
    ),
  ],
  testTimeout: 30_000,
  // Most tests wait for servers most of the time.
  maxWorkers: 3,
}
