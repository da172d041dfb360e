/** Node.js prints it to stderr, unless the program listens to the warnings of its process. */
export function warnProcess(code: string, text: string): void {
  process.emitWarning(text, { type: 'HoldfastWarning', code })
}
