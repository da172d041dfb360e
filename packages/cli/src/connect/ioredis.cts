import type Ioredis = require('ioredis')

/** Part of what is published, but run only when it is needed: `--help` and other stores do without. */
// eslint-disable-next-line @typescript-eslint/no-require-imports -- the only synchronous way to run it on demand
const ioredis = (): typeof Ioredis => require('ioredis') as typeof Ioredis

export = ioredis
