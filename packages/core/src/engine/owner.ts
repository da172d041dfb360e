/** The owner of the n-th outermost acquisition of a client. */
export const ownerOf = (clientId: string, n: number): string => `${clientId}:${n}`

/** Whether it has the form of an owner. */
export const isOwner = (text: unknown): text is string => typeof text === 'string' && /^.+:\d+$/s.test(text)

/** Which acquisition of its client an owner stands for. */
export const numberOf = (owner: string): number => Number(owner.slice(owner.lastIndexOf(':') + 1))

/** The client that an owner belongs to. */
export const clientOf = (owner: string): string => owner.slice(0, owner.lastIndexOf(':'))
