import { heirOf } from '@holdfast/core/engine'
import type {
  AcquireReply,
  AcquireRequest,
  Inspection,
  QueueEntryReply,
  ReleaseReply,
  ReleaseRequest,
  RenewalReply,
  ResizeReply,
  ResizeRequest,
  SharedInspection,
} from '@holdfast/core/engine'

/** What the client of a step knows of tokens. */
interface WithFloor {
  /** The largest that it has seen. */
  readonly tokenFloor: number
}

/** A step on one lock, read/write lock or semaphore, in the words of the port, or what happens besides. */
export type Step =
  | ({ readonly kind: 'acquire' } & Omit<AcquireRequest, 'wantsToken'> & WithFloor)
  | ({ readonly kind: 'release' } & ReleaseRequest & WithFloor)
  | ({ readonly kind: 'force'; readonly owner: string } & WithFloor)
  | ({ readonly kind: 'resize' } & ResizeRequest & WithFloor)
  | { readonly kind: 'renew'; readonly owner: string; readonly leaseMs: number }
  | { readonly kind: 'refresh'; readonly owner: string; readonly entryTtlMs: number }
  | { readonly kind: 'inspect'; readonly limit: number }
  /** Drops what no step needs any more. */
  | { readonly kind: 'sweep' }
  /** Notifications reach the owner's client from now on, or no longer. */
  | { readonly kind: 'subscribe' | 'unsubscribe'; readonly owner: string }
  | { readonly kind: 'pass'; readonly ms: number }
  /** The store evicts one of the keys that have the holds. */
  | { readonly kind: 'evict'; readonly key: 'main' | 'ends' }

export type StepOf<Kind extends Step['kind']> = Extract<Step, { readonly kind: Kind }>

/** What a step replies, in the words of the port. */
export type Reply =
  | AcquireReply
  | ReleaseReply
  | ResizeReply
  | Inspection
  | SharedInspection
  | { readonly kind: RenewalReply }
  | ({ readonly kind: QueueEntryReply['state'] } & Omit<QueueEntryReply, 'state'>)
  /** Of a step that has no reply. */
  | { readonly kind: 'done' }

export const done: Reply = { kind: 'done' }

export const refreshed = ({ state, ...rest }: QueueEntryReply): Reply => ({ kind: state, ...rest })

/** A notification that reached the client of its owner. */
export type Notice =
  | {
      readonly kind: 'granted'
      readonly owner: string
      readonly token: number
      readonly leaseMs: number
      readonly proof: string
    }
  | { readonly kind: 'revoked'; readonly owner: string }

/** Each owner is the only one of its client. */
export const ownerOf = (client: string): string => `${client}:1`

/** Who holds what this owner has handed over. */
export const heirOfOwner = (owner: string): string => heirOf(owner, 'x')

/** What the requests of an owner have for a proof, and its grants must repeat. */
export const proofOf = (owner: string): string => `proof-${owner.replace(':', '-')}`

/** What an earlier request of an owner had. */
export const formerProofOf = (owner: string): string => `former-${proofOf(owner)}`
