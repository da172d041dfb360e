/** One line of CLUSTER NODES. */
export interface ClusterNode {
  readonly id: string
  readonly port: number
  readonly role: 'master' | 'replica'
  /** Marked as failed, by this node or by all. */
  readonly failed: boolean
  /** The id of the master it follows; `null` for masters. */
  readonly masterId: string | null
  /** Whether this is the node that produced the list. */
  readonly myself: boolean
  readonly slots: readonly { readonly from: number; readonly to: number }[]
}

export function parseClusterNodes(text: string): ClusterNode[] {
  const nodes: ClusterNode[] = []
  for (const line of text.split('\n')) {
    const [id, address, flags, masterId, , , , , ...ranges] = line.trim().split(' ')
    const port = /:(\d+)/.exec(address ?? '')?.[1]
    if (id === undefined || flags === undefined || port === undefined) continue
    const names = flags.split(',')
    nodes.push({
      id,
      port: Number(port),
      role: names.includes('master') ? 'master' : 'replica',
      failed: names.includes('fail') || names.includes('fail?') || names.includes('noaddr'),
      masterId: masterId === undefined || masterId === '-' ? null : masterId,
      myself: names.includes('myself'),
      // Migrating slots are listed in brackets; their owner also has them in its plain ranges.
      slots: ranges.filter((range) => !range.startsWith('[')).map(parseRange),
    })
  }
  return nodes
}

function parseRange(range: string): { from: number; to: number } {
  const [from, to = from] = range.split('-')
  return { from: Number(from), to: Number(to) }
}
