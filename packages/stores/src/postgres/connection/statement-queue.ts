import type { Statement } from './statement.js'

/** Statements that are not sent yet: urgent ones first, otherwise in the order of their calls. */
export class StatementQueue {
  readonly #urgent = new Set<Statement>()
  readonly #others = new Set<Statement>()

  add(statement: Statement, isUrgent: boolean): void {
    const queue = isUrgent ? this.#urgent : this.#others
    queue.add(statement)
  }

  delete(statement: Statement): void {
    this.#urgent.delete(statement)
    this.#others.delete(statement)
  }

  /** Takes the next one out. */
  take(): Statement | undefined {
    const [next] = this.#urgent.size > 0 ? this.#urgent : this.#others
    if (next) this.delete(next)
    return next
  }

  /** Takes all out. */
  drain(): readonly Statement[] {
    const all = [...this.#urgent, ...this.#others]
    this.#urgent.clear()
    this.#others.clear()
    return all
  }
}
