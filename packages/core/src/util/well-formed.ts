const unpairedSurrogate = /\p{Surrogate}/u

/** Whether UTF-8 can encode a text as it is. */
export const isWellFormed = (text: string): boolean => !unpairedSurrogate.test(text)
