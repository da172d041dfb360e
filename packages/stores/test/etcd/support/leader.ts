import { until, type EtcdServer } from '@holdfast/testkit'

interface Status {
  readonly leader?: string
  readonly header: { readonly member_id: string }
}

/** The one of these servers that leads, once all of them say so. */
export const findLeader = (servers: readonly EtcdServer[]): Promise<EtcdServer> =>
  until(
    async () => {
      const states = await Promise.all(servers.map(statusOf))
      const [first] = states
      if (!first?.leader || states.some(({ leader }) => leader !== first.leader)) return null
      return servers[states.findIndex(({ header }) => header.member_id === first.leader)]
    },
    { everyMs: 50, what: 'all servers to know the leader' },
  )

async function statusOf({ url }: EtcdServer): Promise<Status> {
  const reply = await fetch(`${url}/v3/maintenance/status`, {
    method: 'POST',
    body: '{}',
    signal: AbortSignal.timeout(2_000),
  })
  return (await reply.json()) as Status
}
