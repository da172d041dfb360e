/** The longest delay that setTimeout takes; a longer one would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** One timeout for one instant. It may ring early (the code that it wakes checks the clock), never on purpose late. */
export class Alarm {
  private timer: NodeJS.Timeout | undefined
  private armedFor = Infinity

  constructor(
    private readonly ring: () => void,
    private readonly now: () => number,
  ) {}

  /** Sees to it that the alarm rings at `at` or earlier. An alarm armed for an earlier instant is left as it is. */
  arm(at: number): void {
    if (this.timer !== undefined && this.armedFor <= at) return
    this.disarm()
    if (at === Infinity) return
    this.armedFor = at
    const delayMs = Math.min(Math.max(Math.floor(at - this.now()), 1), MAX_DELAY_MS)
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.ring()
    }, delayMs)
    // This timer must not keep the process alive.
    this.timer.unref()
  }

  disarm(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }
}
