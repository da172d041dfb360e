// Closes a client while it connects to a server that accepts and stays silent, and must then end by itself. Argument: the URL.
import { Holdfast } from '@holdfast/core'
import { postgres } from '@holdfast/stores/postgres'

// A warning that is printed on a slow machine opens this pipe.
void process.stderr
const before = process.getActiveResourcesInfo()
const holdfast = new Holdfast({ engine: postgres({ url: process.argv[2] }) })
const failure = holdfast
  .getLock('order')
  .lock()
  .catch((error) => error)
await new Promise((resolve) => process.once('message', resolve))
await holdfast.close()
const left = process.getActiveResourcesInfo().filter((kind) => !before.includes(kind))
process.send({ type: 'closed', code: (await failure).code, left })
process.disconnect()
