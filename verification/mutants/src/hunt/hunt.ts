/** What may find a mistake. The cheapest comes first. */
export interface Killer {
  readonly name: string
  /** Resolves with what it found, or `null`. What it rejects with is a find too. */
  readonly find: () => Promise<string | null>
}

export type Verdict =
  | { readonly kind: 'killed'; readonly by: string; readonly found: string }
  | { readonly kind: 'survived' }
  /** It is no program. */
  | { readonly kind: 'invalid'; readonly found: string }

/** Stops at the first find. */
export async function hunt(killers: readonly Killer[]): Promise<Verdict> {
  for (const { name, find } of killers) {
    const found = await find().catch(String)
    if (found !== null) return { kind: 'killed', by: name, found }
  }
  return { kind: 'survived' }
}
