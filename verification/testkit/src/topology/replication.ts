import type { RedisServer } from '../server/redis-server.js'

/** What a server reports about its replication. */
export interface ReplicationState {
  readonly role: 'master' | 'replica'
  /** The master that a replica follows or tries to follow; `null` for masters. */
  readonly masterPort: number | null
  /** Whether a replica has caught up and is connected to its master. */
  readonly linkUp: boolean
}

export async function replicationOf(server: RedisServer): Promise<ReplicationState> {
  const info = String(await server.call('INFO', 'replication'))
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]
  const masterPort = field('master_port')
  return {
    role: field('role') === 'master' ? 'master' : 'replica',
    masterPort: masterPort === undefined ? null : Number(masterPort),
    linkUp: field('master_link_status') === 'up',
  }
}

/** Whether it is a replica that has caught up with that very master. */
export async function follows(replica: RedisServer, master: RedisServer): Promise<boolean> {
  const { masterPort, linkUp } = await replicationOf(replica)
  return masterPort === master.port && linkUp
}
