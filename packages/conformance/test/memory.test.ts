import { memory } from '@holdfast/memory'
import { describeInProcess } from './support/in-process.js'

const store = memory()

describeInProcess({
  name: 'Memory',
  engine: store,
  wipe: () => {
    store.failOver()
  },
  commandCount: () => store.commands,
})
