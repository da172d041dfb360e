import * as node from 'node:test'
import * as jest from '@jest/globals'
import { describeInProcess, linkedEngine, type LinkedEngine, type TestRunner } from '@holdfast/conformance'
import { memory } from '@holdfast/stores/memory'
import * as vitest from 'vitest'

export const runners: readonly TestRunner[] = [node, jest, vitest]
const store = memory()
export const linked: LinkedEngine = linkedEngine(store)
for (const runner of runners)
  describeInProcess({ name: 'Memory', engine: store, wipe: () => undefined, commandCount: () => 0 }, runner)
