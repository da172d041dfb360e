const { describeInProcess } = require('@holdfast/conformance')
const { memory } = require('@holdfast/stores/memory')

const store = memory()
const wipe = () => store.failOver()
describeInProcess({ name: 'Memory', engine: store, wipe, commandCount: () => store.commands })
