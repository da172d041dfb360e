import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder, until, type ScratchFolder } from '@holdfast/testkit'

const program = join(__dirname, '../fixtures/command.mjs')
const folders: ScratchFolder[] = []

afterAll(async () => {
  for (const folder of folders.splice(0)) await folder.remove()
})

/** The words of a command that shows for how long it lives. */
export interface TestCommand {
  readonly words: readonly string[]
  readonly file: string
}

export async function testCommand(...traits: string[]): Promise<TestCommand> {
  const folder = await scratchFolder()
  folders.push(folder)
  const file = join(folder.path, 'beat')
  return { words: [process.execPath, program, file, ...traits], file }
}

/** Until when it has lived so far, by the clock of the wall. */
export const lastBeat = (file: string): number => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0)

/** Resolves when it runs. */
export const untilBeating = (file: string): Promise<number> =>
  until(() => lastBeat(file), { what: 'the command to run' })
