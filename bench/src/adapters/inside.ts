import { pathToFileURL } from 'node:url'

/**
 * Loads a module that a package keeps to itself: a recipe by hand stands on the same client as the engine beside it.
 *
 * @param module - such as `zookeeper/client/session.js`
 */
export async function inside(module: string): Promise<unknown> {
  const [, name = '', path = ''] = /^([a-z-]+)\/(.+)$/.exec(module) ?? []
  // Of this process: a worker, or the benchmark itself.
  const program = pathToFileURL(process.argv[1] ?? '')
  const loaded: unknown = await import(new URL(`../../packages/${name}/build/${path}`, program).href)
  return loaded
}
