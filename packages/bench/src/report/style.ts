/** The style that all plots share. They bring their own white background, since pages may be dark. */
export const style = {
  background: '#ffffff',
  ink: '#1f2328',
  faintInk: '#59636e',
  grid: '#e4e7eb',
  font: 'system-ui, Helvetica, Arial, sans-serif',
  width: 860,
} as const

const holdfast = '#0969da'
const floor = '#6e7781'
// Distinguishable by lightness as well as by hue, for readers with impaired colour vision.
const others = [
  '#d1570c',
  '#1a7f37',
  '#a40e26',
  '#8250df',
  '#bf8700',
  '#0f6b75',
  '#d4549a',
  '#5c4033',
  '#7d2d68',
]

/** The name tells a library's defaults from its best configuration; the colour does not. */
const withoutConfiguration = (name: string): string => name.replace(/, defaults$/, '')

/** The same colour for the same library in all plots. */
export function coloursOf(names: readonly string[], floors: readonly string[]): Map<string, string> {
  const isPeer = (name: string): boolean => name !== 'Holdfast' && !floors.includes(name)
  const peers = [...new Set(names.filter(isPeer).map(withoutConfiguration))].sort()
  const peerColour = (name: string): string => others[peers.indexOf(withoutConfiguration(name))] ?? floor
  return new Map([
    ['Holdfast', holdfast],
    ...floors.map((name) => [name, floor] as const),
    ...names.filter(isPeer).map((name) => [name, peerColour(name)] as const),
  ])
}
