import { describeInProcess, globalRunner } from '@holdfast/conformance'
import { sampled } from '@holdfast/testkit'
import { sessionEngine } from './support/session-engine.js'
import { SessionStore } from './support/session-store.js'

const store = new SessionStore()

describeInProcess(
  {
    name: 'Session engine',
    engine: sessionEngine(store),
    wipe: () => store.wipe(),
    commandCount: () => store.steps,
  },
  sampled(globalRunner(), 'sessions', /stall|stood|session|lease|lost|loss/),
)
