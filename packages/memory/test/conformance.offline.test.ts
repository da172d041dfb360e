import { describeInProcess } from '@holdfast/conformance'
import { memory } from '@holdfast/memory'

const store = memory()

describeInProcess({
  name: 'Memory',
  engine: store,
  wipe: () => store.failOver(),
  commandCount: () => store.commands,
})
