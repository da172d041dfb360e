import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'

/** Notes how many are inside at once. */
export class Busy {
  inside = 0
  most = 0
  total = 0

  async stay(): Promise<void> {
    this.total += 1
    this.inside += 1
    this.most = Math.max(this.most, this.inside)
    for (let i = 0; i < 5; i++) await turn()
    this.inside -= 1
  }

  assertOneAtATime(total: number): void {
    assert.deepEqual({ most: this.most, total: this.total }, { most: 1, total })
  }
}

/** A door that one side opens. */
export class Gate {
  readonly opened: Promise<void>
  open!: () => void

  constructor() {
    this.opened = new Promise((resolve) => (this.open = resolve))
  }
}
