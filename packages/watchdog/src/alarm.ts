/** The longest delay that setTimeout takes; it answers a longer one by firing at once. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** One timeout for one instant. It may ring early (whoever is woken looks at the clock), never on purpose late. */
export class Alarm {
  private timer: NodeJS.Timeout | undefined
  private armedFor = Infinity

  constructor(private readonly ring: () => void) {}

  /** Sees to it that the alarm rings at `at` or earlier. An alarm armed for an earlier instant is left as it is. */
  arm(at: number): void {
    if (this.timer !== undefined && this.armedFor <= at) return
    this.disarm()
    if (at === Infinity) return
    this.armedFor = at
    const delayMs = Math.min(Math.max(Math.floor(at - performance.now()), 1), MAX_DELAY_MS)
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.ring()
    }, delayMs)
    // Renewing goes on for as long as the process has something else to live for, and no longer.
    this.timer.unref()
  }

  disarm(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }
}
