import { framesOf } from '../ownership/call-site.js'
import type { CallSite } from '../ownership/call-site.js'
import type { LeaseHandle, OpenLease } from './lease-set.js'

const stacks = new WeakMap<OpenLease, string>()

/** Remembers, as text, where a lease was acquired: a stack that is not yet text would keep its functions and what they refer to. */
export function rememberCall({ entry }: LeaseHandle, call: CallSite): void {
  stacks.set(
    entry,
    framesOf(call)
      .map((frame) => `    ${frame}`)
      .join('\n'),
  )
}

/** Where it was acquired, if that was remembered. */
export const acquiredAt = (lease: OpenLease): string | undefined => stacks.get(lease)
