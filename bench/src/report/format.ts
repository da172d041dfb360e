const units: Readonly<Record<string, string>> = { us: 'µs', ms: 'ms', kib: 'KiB', cpu: 'CPU' }

/** The label of a value's name: `usPerCycle` becomes `µs per cycle`. */
export function toLabel(name: string): string {
  const words = name.match(/KiB|[A-Z]?[a-z]+\d*|[A-Z]\d+|\d+/g) ?? [name]
  return words.map((word) => units[word.toLowerCase()] ?? word.toLowerCase()).join(' ')
}

/** Three significant digits, or more if the integer part has more. */
export function formatNumber(value: number): string {
  const size = Math.abs(value)
  if (size === 0) return '0'
  if (size < 0.01) return value.toPrecision(2)
  const decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3
  return value.toFixed(decimals)
}
