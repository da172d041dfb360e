/** The instructions that a file of callgrind counts in total. */
export function instructionsIn(text: string): number {
  const events = wordsAfter('events', text)
  const total = wordsAfter('totals', text)[events.indexOf('Ir')]
  if (total === undefined) throw new Error('this file of callgrind has no total of instructions')
  return Number(total)
}

const wordsAfter = (label: string, text: string): string[] =>
  new RegExp(`^${label}: (.+)$`, 'm').exec(text)?.[1]?.split(' ') ?? []
