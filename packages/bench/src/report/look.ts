/** What all plots share, so that they read as one set. They bring their own white ground: pages may be dark. */
export const look = {
  ground: '#ffffff',
  ink: '#1f2328',
  faintInk: '#59636e',
  grid: '#e4e7eb',
  font: 'system-ui, Helvetica, Arial, sans-serif',
  width: 860,
} as const

const holdfast = '#0969da'
const floor = '#6e7781'
// Told apart by lightness as well as by hue, for those who see few colours.
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

/** What it does by default is told apart by its name. */
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
