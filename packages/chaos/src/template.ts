import { Cluster, Redis } from 'ioredis'

interface Address {
  readonly host: string
  readonly port: number
}

/** How a process reaches its Redis, as plain data. `natMap` maps each server's address to its fault proxy. */
export type TemplateSpec =
  | { readonly kind: 'server'; readonly url: string }
  | {
      readonly kind: 'cluster'
      readonly nodes: readonly Address[]
      readonly natMap: Readonly<Record<string, Address>>
    }
  | {
      readonly kind: 'sentinel'
      readonly sentinels: readonly Address[]
      readonly name: string
      readonly natMap: Readonly<Record<string, Address>>
    }

/** The client that Holdfast takes as its template. It never connects. */
export function templateOf(spec: TemplateSpec): Redis | Cluster {
  switch (spec.kind) {
    case 'server':
      return new Redis(spec.url, { lazyConnect: true })
    case 'cluster':
      return new Cluster([...spec.nodes], { lazyConnect: true, natMap: { ...spec.natMap } })
    case 'sentinel':
      return new Redis({
        lazyConnect: true,
        sentinels: [...spec.sentinels],
        name: spec.name,
        natMap: { ...spec.natMap },
      })
  }
}
