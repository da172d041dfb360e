/** What tells the series of one metric apart. Never the name of a lock. */
export type Attributes = Readonly<Record<string, string>>
