/** What a test runs in a process of its own, by its title. */
export const scenarios = new Map<string, () => Promise<void>>()

export function scenario(title: string, run: () => Promise<void>): void {
  if (scenarios.has(title)) throw new Error(`there are two scenarios with the title ${title}`)
  scenarios.set(title, run)
}
