/** How the documents of one kind of object are read, kept and written. `Written` is what JSON carries. */
export interface DocumentKind<Content, Written> {
  /** Of an object that nobody has used. */
  make(): Content
  /** Ends all that is due. Precedes every step. */
  settle(content: Content, nowUs: number): void
  /** Whether nothing would be lost by deleting the document. */
  isEmpty(content: Content): boolean
  /** When the last thing in it ends, microseconds. */
  endUs(content: Content): number
  write(content: Content): Written
  read(written: Written): Content
}

/** That of an object which operators list. */
export interface ObjectKind<Content, Written> extends DocumentKind<Content, Written> {
  /** Whether anyone holds it or waits for it; of a latch, whether it was set. */
  isInUse(content: Content): boolean
  hasQueue(content: Content): boolean
}
