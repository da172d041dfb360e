const units: readonly (readonly [unit: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
]

/** A duration for people: two digits or more of what matters, such as `340 ms`, `2.5 s`, `12 s`, `4 min 10 s`, `3 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`
  const rounded = Math.round(ms / 1_000) * 1_000
  const at = units.findIndex(([, size]) => rounded >= size)
  const [unit = 's', size = 1_000] = units[at] ?? []
  const [smaller, smallerSize] = units[at + 1] ?? []
  const count = Math.floor(rounded / size)
  const rest = smallerSize === undefined ? 0 : Math.floor((rounded % size) / smallerSize)
  return rest === 0 || smaller === undefined ? `${count} ${unit}` : `${count} ${unit} ${rest} ${smaller}`
}

const factors: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000 }

/** Milliseconds of a duration as users write it, such as `500ms`, `30s`, `1.5m`, `2h` or `0`; `null` for anything else. */
export function parseDuration(text: string): number | null {
  if (text === '0') return 0
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)\s?(ms|s|m|min|h)$/.exec(text) ?? []
  const factor = factors[unit]
  return factor === undefined ? null : Math.round(Number(number) * factor)
}
