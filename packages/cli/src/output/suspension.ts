/** What is to be done around a stop. */
export interface Suspension {
  /** Just before this process stops. */
  readonly leave: () => void
  /** Once it goes on. */
  readonly enter: () => void
}

/**
 * Has Ctrl-Z, or SIGTSTP from elsewhere, stop this process only after `leave`. Call what it returns to end that.
 *
 * SIGSTOP cannot be prepared for.
 */
export function aroundStops({ leave, enter }: Suspension): () => void {
  const stop = (): void => {
    leave()
    // Without a listener the signal does again what it does by default.
    process.off('SIGTSTP', stop)
    // Returns after SIGCONT; at once where nobody could send that, as in a group that no shell controls.
    process.kill(process.pid, 'SIGTSTP')
    process.on('SIGTSTP', stop)
    enter()
  }
  process.on('SIGTSTP', stop)
  return () => void process.off('SIGTSTP', stop)
}
