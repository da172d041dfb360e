import { project } from './jest.config.js'

/** Apart from the other tests, since these need a JDK and Maven. */
export default {
  ...project('interop', {
    testMatch: ['<rootDir>/verification/redisson/test/**/*.test.ts'],
    globalSetup: '<rootDir>/verification/redisson/test/support/build-peers.mjs',
  }),
  // Most tests wait for servers and for leases most of the time.
  maxWorkers: 3,
  testTimeout: 60_000,
}
