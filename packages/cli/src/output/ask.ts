import { createInterface } from 'node:readline'

/** Whether there is a terminal to ask at. Questions go to stderr, as words do. */
export const hasSomeoneToAsk = (): boolean => process.stdin.isTTY && process.stderr.isTTY

/** Resolves with the line that was typed, trimmed. Ctrl-C, Ctrl-D and a terminal that goes away are an empty one. */
export function ask(question: string): Promise<string> {
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve) => {
    asking.once('close', () => {
      process.stderr.write('\n')
      resolve('')
    })
    asking.question(question, (answer) => {
      resolve(answer.trim())
      asking.removeAllListeners('close').close()
    })
  })
}
