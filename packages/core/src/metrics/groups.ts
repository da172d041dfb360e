/**
 * Puts a lock into a group by its name, for dashboards: `(name) => name.split(':')[0]`. The groups must be few and known.
 * `undefined` or an empty text: none, as if it throws.
 */
export type GroupOf = (lockName: string) => string | undefined

/** How many groups there may be. */
export const mostGroups = 50

/** The group of locks that would make one too many. */
export const otherGroup = '_other'

/** The attribute that a lock's group is, if groups are wanted. */
export class Groups {
  readonly #groupOf: GroupOf | undefined
  readonly #onNew: (group: string) => void
  readonly #known = new Set<string>()

  /** @param onNew - called for each group before it is first used */
  constructor(groupOf: GroupOf | undefined, onNew: (group: string) => void) {
    this.#groupOf = groupOf
    this.#onNew = onNew
  }

  of(lockName: string): { readonly group?: string } {
    const wanted = this.#wanted(lockName)
    if (wanted === undefined) return {}
    const group = this.#known.has(wanted) || this.#known.size < mostGroups ? wanted : otherGroup
    if (!this.#known.has(group)) {
      this.#known.add(group)
      this.#onNew(group)
    }
    return { group }
  }

  /** What a subscriber of a channel throws would end the process. */
  #wanted(lockName: string): string | undefined {
    try {
      // Prometheus takes an empty label for none, and would see two series of the same labels.
      return this.#groupOf?.(lockName) || undefined
    } catch {
      return undefined
    }
  }
}
