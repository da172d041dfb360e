import * as runner from 'node:test'
import { describeEngine, describeInProcess } from '@holdfast/conformance'
import { Holdfast } from '@holdfast/core'
import { memory } from '@holdfast/stores/memory'

const store = memory()
const wipe = () => store.failOver()
describeInProcess({ name: 'Memory', engine: store, wipe, commandCount: () => store.commands }, runner)

const url = process.env.REDIS_URL
describeEngine(
  {
    name: 'Redis',
    traits: {
      fifo: true,
      handOff: 'grant',
      lease: { stepMs: 1, shortestMs: 1, marginMs: 2 },
      fencing: 'while data lives',
      survives: 'nothing',
      force: 'notified',
      commandsPerCycle: { uncontended: 2, contended: 2 },
    },
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    open: (options) => new Holdfast({ ...options, redis: url }),
    otherProcess: { module: new URL('./open.mjs', import.meta.url), argument: () => url },
  },
  runner,
)
