const numbers = new Intl.NumberFormat('en-GB')
const rates = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 })

/** `1 lock`, `1,200 locks` */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${numbers.format(count)} ${count === 1 ? one : many}`

/** A duration in its two largest units: `850 ms`, `4.2 s`, `3 min 20 s`, `5 h 12 min`. */
export function formatMs(ms: number | null): string {
  if (ms === null) return '–'
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 60_000) return `${rates.format(Math.floor(ms / 100) / 10)} s`
  const seconds = Math.floor(ms / 1_000)
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3_600)]
  if (hours >= 24) return `${Math.floor(hours / 24)} d ${hours % 24} h`
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min ${seconds % 60} s`
}
