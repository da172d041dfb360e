import { InvalidArgumentError, type ObjectKind } from '@holdfast/core'
import { checkObject, checkOptions, kindOf } from '@holdfast/core/engine'
import { auditOnStderr, type AuditEntry } from './audit.js'
import { checkType } from './checks.js'
import { AllowedHosts } from './http/allowed-hosts.js'
import type { DashboardRequest } from './http/exchange.js'
import type { DashboardSource } from './source.js'

/** What a request to the dashboard wants to do. */
export type DashboardAction =
  /** Sees pages, and what is on them. */
  | { readonly type: 'view' }
  /** Evicts this owner from this object. */
  | {
      readonly type: 'evict'
      readonly name: string
      readonly kind: ObjectKind
      readonly owner: string
    }

interface AnyDashboardOptions {
  /** The client whose store the dashboard shows. */
  readonly holdfast: DashboardSource
  /**
   * Gets each attempt to evict an owner, allowed or not. By default, a line on stderr, and so is an entry for which it throws or
   * rejects.
   */
  readonly audit?: ((entry: AuditEntry) => void | Promise<void>) | undefined
  /**
   * The names and addresses under which the dashboard answers, without ports: `['ops.example.com']`. Requests with another `Host` header
   * get status 421.
   *
   * Needed where nothing but the network keeps others out: another site's page can otherwise reach the dashboard through the browser of
   * someone inside, by DNS rebinding. Where users sign in it is not, as such a page gets no cookie of your site.
   *
   * @defaultValue all
   */
  readonly allowedHosts?: readonly string[] | undefined
}

/**
 * Decides about each request. Return `true` to allow it, `false` to refuse it, or allow it with the name of the user, which the
 * evicted holder sees as `LockLostError.by`. A promise that rejects refuses, too.
 */
type Authorize = (
  request: DashboardRequest,
  action: DashboardAction,
) => Authorization | Promise<Authorization>

/** Options of `createDashboard`. */
export type DashboardOptions = AnyDashboardOptions &
  (
    | {
        /**
         * Whether the dashboard only shows. With `false`, holders can be evicted, and `authorize` is required.
         *
         * @defaultValue true
         */
        readonly readOnly?: true | undefined
        /** Decides about each request. Without it everyone who reaches the dashboard sees everything. */
        readonly authorize?: Authorize | undefined
      }
    | { readonly readOnly: false; readonly authorize: Authorize }
  )

/** What `authorize` decides. An empty name refuses. */
export type Authorization = boolean | string

const known: ReadonlySet<string> = new Set(['holdfast', 'readOnly', 'authorize', 'audit', 'allowedHosts'])

export interface ResolvedOptions {
  readonly holdfast: DashboardSource
  readonly isReadOnly: boolean
  readonly authorize: NonNullable<DashboardOptions['authorize']>
  readonly audit: NonNullable<DashboardOptions['audit']>
  /** `null` allows all. */
  readonly allowedHosts: AllowedHosts | null
}

export function resolveOptions(options: DashboardOptions): ResolvedOptions {
  checkObject(options, '; pass createDashboard({ holdfast })')
  checkOptions(options, known)
  checkType('readOnly', options.readOnly, 'boolean')
  checkType('authorize', options.authorize, 'function')
  checkType('audit', options.audit, 'function')
  const { holdfast, readOnly = true, authorize, audit = auditOnStderr } = options
  const { allowedHosts: names } = options
  if (typeof (holdfast as Partial<DashboardSource> | undefined)?.clientReports !== 'function') {
    throw new InvalidArgumentError(
      `holdfast must be a Holdfast client, got ${kindOf(holdfast)}; pass holdfast: new Holdfast(…)`,
    )
  }
  if (!holdfast.traits.operator) {
    throw new InvalidArgumentError(
      'a dashboard needs a client that can list locks and clients, such as new Holdfast({ redis }); ' +
        `${holdfast.stats().store} can list neither, and so its \`traits\` have no \`operator\``,
    )
  }
  if (!readOnly && !authorize) {
    throw new InvalidArgumentError(
      'readOnly: false needs authorize: it decides who may evict holders, and says who did',
    )
  }
  const allowedHosts = names === undefined ? null : new AllowedHosts({ names, anyAddress: false })
  return {
    holdfast,
    isReadOnly: readOnly,
    authorize: authorize ?? (() => true),
    audit,
    allowedHosts,
  }
}
