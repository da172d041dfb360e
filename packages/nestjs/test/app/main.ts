// Runs scenarios for a test, which asks for them by their titles.
import { scenarios } from './scenario.js'
import './decorator.js'
import './http.js'
import './keys.js'
import './module.js'
import './shutdown.js'
import './transactions.js'

process.on('message', (title: string) => {
  const run = scenarios.get(title) ?? (() => Promise.reject(new Error(`no scenario is called ${title}`)))
  run().then(
    () => process.send?.({ title }),
    (error: unknown) =>
      process.send?.({ title, error: error instanceof Error ? error.stack : String(error) }),
  )
})
process.send?.({ titles: [...scenarios.keys()] })
