/** What a row is, by the first letter of its id. */
const kinds = { document: 'd', fence: 'f' } as const

const idOf = (kind: keyof typeof kinds, key: string): Buffer => Buffer.from(kinds[kind] + key)

export const documentId = (key: string): Buffer => idOf('document', key)

/** Of the row that a transaction locks which is fenced by this lock. */
export const fenceId = (lockName: string): Buffer => idOf('fence', lockName)

export const keyOfDocument = (id: Buffer): string => id.toString('utf8', 1)

/** What is behind all ids of documents whose keys begin so: no UTF-8 has this byte. */
export const behindPrefix = (prefix: string): Buffer =>
  Buffer.concat([documentId(prefix), Buffer.from([0xff])])
