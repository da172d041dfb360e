const numbers = new Intl.NumberFormat('en-GB')
const rates = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 })
const times = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

export const formatCount = (count: number | null): string => (count === null ? '–' : numbers.format(count))
export const formatRate = (rate: number | null): string =>
  rate === null ? '–' : rate >= 100 ? numbers.format(Math.round(rate)) : rates.format(rate)
export const formatTime = (at: number): string => times.format(at)
export const formatDate = (at: number): string => dates.format(at)
/** With the date unless it is today. */
export const formatInstant = (at: number): string =>
  new Date(at).toDateString() === new Date().toDateString() ? formatTime(at) : formatDate(at)

/** A duration in its two largest units: `850 ms`, `4.2 s`, `3 min 20 s`, `5 h 12 min`. */
export function formatMs(ms: number | null): string {
  if (ms === null) return '–'
  if (ms < 10) return `${rates.format(Math.max(0, ms))} ms`
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${rates.format(Math.floor(ms / 100) / 10)} s`
  const [seconds, minutes, hours] = [1, 60, 3_600].map((unit) => Math.floor(ms / 1_000 / unit)) as [
    number,
    number,
    number,
  ]
  if (hours >= 24) return `${Math.floor(hours / 24)} d ${hours % 24} h`
  if (hours > 0) return `${hours} h ${minutes % 60} min`
  return `${minutes} min ${seconds % 60} s`
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`
