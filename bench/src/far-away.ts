import { fileURLToPath } from 'node:url'
import { forkWorker } from '@holdfast/testkit'
import { pin, redisCore } from './pinning.js'

const proxyFile = fileURLToPath(new URL('delay-proxy.js', import.meta.url))

/** Runs the callback with a URL at which the server is `delayMs` away in each direction. */
export async function farAway<T>(
  { host, port }: { readonly host: string; readonly port: number },
  delayMs: number,
  use: (url: string) => Promise<T>,
): Promise<T> {
  await using proxy = await forkWorker(proxyFile)
  await pin(proxy.pid, redisCore)
  await proxy.send({ type: 'open', host, port, delayMs })
  const { url } = await proxy.waitFor('opened')
  return await use(String(url))
}
