// A development server: loads bundles of one application, one after another. Environment: REDIS_URL, BUNDLES.
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { delimiter } from 'node:path'
import { pathToFileURL } from 'node:url'

await tellParent({ type: 'ready' })
for (const file of process.env.BUNDLES.split(delimiter)) {
  const { GET } = await import(pathToFileURL(file).href)
  await tellParent({ type: 'answer', ...(await GET()) })
}
await fromParent('exit')
