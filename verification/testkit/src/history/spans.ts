/** A time interval. */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

export function touches(a: Span, b: Span): boolean {
  return a.fromMs <= b.untilMs && b.fromMs <= a.untilMs
}

/** How much of `within` the spans cover; overlaps count once. */
export function coveredMs(within: Span, spans: readonly Span[]): number {
  let covered = 0
  let upToMs = within.fromMs
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    const untilMs = Math.min(span.untilMs, within.untilMs)
    const fromMs = Math.max(span.fromMs, upToMs)
    if (untilMs <= fromMs) continue
    covered += untilMs - fromMs
    upToMs = untilMs
  }
  return covered
}
