import type { Passed } from './trace.js'

/**
 * Draws what passed between clients and ZooKeeper as a Mermaid `sequenceDiagram`. Two runs of one schedule yield the same text:
 * entries are named by their clients.
 *
 * @param entries - whose entry each path is
 */
export const pictureOf = (
  passed: readonly Passed[],
  clients: readonly string[],
  entries: ReadonlyMap<string, string>,
): string =>
  [
    'sequenceDiagram',
    ...clients.map((client) => `  participant ${client}`),
    '  participant ZooKeeper',
    ...passed.map((each) => `  ${lineOf(each, entries)}`),
  ].join('\n')

function lineOf(
  { client, way, what, path, isWatching }: Passed,
  entries: ReadonlyMap<string, string>,
): string {
  const owner = entries.get(path)
  const subject = owner === undefined ? 'the queue' : `${owner}’s entry`
  if (way === 'event') {
    return `ZooKeeper-->>${client}: ${subject} ${what === 'deleted' ? 'is gone' : 'has changed'}`
  }
  if (what === 'create') return `${client}->>ZooKeeper: create ${client}’s entry`
  const watching = owner === undefined ? `${what} and watch` : 'watch'
  return `${client}->>ZooKeeper: ${isWatching ? watching : what} ${subject}`
}

/** What several clients do at once, in the order of their names. */
export const byClient = (passed: readonly Passed[]): Passed[] =>
  [...passed].sort((a, b) => a.client.localeCompare(b.client))
