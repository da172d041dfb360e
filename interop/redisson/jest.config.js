import { project } from '../../jest.config.js'

/** Apart from the other tests, since these need a JDK and Maven. */
export default {
  ...project('interop', ['<rootDir>/interop/redisson/test/**/*.test.ts'], {
    globalSetup: '<rootDir>/interop/redisson/test/support/build-peers.mjs',
  }),
  rootDir: '../..',
  // Each file runs several clients in processes of their own, which take the machine.
  maxWorkers: 1,
  testTimeout: 60_000,
}
