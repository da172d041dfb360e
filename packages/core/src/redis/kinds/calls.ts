import type { Inspection, SharedInspection } from '../../engine/replies.js'
import type {
  AcquireRequest,
  JointRequest,
  QueueEntry,
  ReleaseRequest,
  Renewal,
  ResizeRequest,
} from '../../engine/requests.js'
import type { ScriptCall } from '../connection/script-connection.js'
import type { Keys } from '../keys.js'

/** A queue entry whose keys are known. */
export interface RedisQueueEntry extends QueueEntry {
  readonly address: Keys
}

/** A hold to renew whose keys are known. */
export interface RedisRenewal extends Renewal {
  readonly address: Keys
}

/** A request for several locks whose keys are known. */
export interface RedisJointRequest extends JointRequest {
  readonly locks: readonly { readonly address: Keys; readonly owner: string }[]
}

/** The script calls of one kind of object. Their replies have the same forms, but for that of `inspect`. */
export interface Calls {
  acquire(keys: Keys, request: AcquireRequest, inbox: string, tokenFloor: string): ScriptCall
  /** Only where no one else makes tokens. */
  raiseToken?(keys: Keys, token: number, keepMs: number): ScriptCall
  /** Gives up the hold and the queue entry, or some of the permits. */
  release(keys: Keys, request: ReleaseRequest, tokenFloor: string): ScriptCall
  /** Whether `setCount` serves this request in place of `acquire`. */
  setsCount?(request: AcquireRequest): boolean
  /** Enters a hold again, or leaves it without releasing it. Only of objects that count entries. */
  setCount?(keys: Keys, owner: string, count: number, leaseMs: number): ScriptCall
  /** @param inbox - of the client of `owner` */
  force(keys: Keys, owner: string, inbox: string, tokenFloor: string): ScriptCall
  /** Only of objects that have a size. */
  resize?(keys: Keys, request: ResizeRequest, tokenFloor: string): ScriptCall
  renew(renewals: readonly RedisRenewal[]): ScriptCall
  refresh(entries: readonly RedisQueueEntry[]): ScriptCall
  inspect(keys: Keys, limit: number): ScriptCall
  readInspection(reply: readonly unknown[]): Inspection | SharedInspection
}
