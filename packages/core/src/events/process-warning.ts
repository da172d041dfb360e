/** Of the warnings that are given once per process. */
const given = new Set<string>()

/** Node.js prints it to stderr, unless the program listens to the warnings of its process. */
export function warnProcess(code: string, text: string): void {
  process.emitWarning(text, { type: 'HoldfastWarning', code })
}

/** The same, once in the life of the process. */
export function warnProcessOnce(code: string, text: () => string): void {
  if (given.has(code)) return
  given.add(code)
  warnProcess(code, text())
}
