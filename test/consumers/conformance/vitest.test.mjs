import { describeInProcess } from '@holdfast/conformance'
import { memory } from '@holdfast/stores/memory'
import * as runner from 'vitest'

const store = memory()
const wipe = () => store.failOver()
describeInProcess({ name: 'Memory', engine: store, wipe, commandCount: () => store.commands }, runner)
