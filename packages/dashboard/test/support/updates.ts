import type { Update } from '../../src/shared/payloads.js'

/** The updates of an event stream, until the loop that reads them ends. */
export async function* updatesOf(response: Response): AsyncGenerator<Update, void> {
  if (!response.body) return
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      if (event.startsWith('data: ')) yield JSON.parse(event.slice('data: '.length)) as Update
    }
  }
}

/** The first update that is what is wanted. */
export async function updateWith(
  updates: AsyncIterator<Update, void>,
  isWanted: (update: Update) => boolean,
): Promise<Update> {
  for (;;) {
    const next = await updates.next()
    if (next.done) throw new Error('the stream ended before the update that was awaited')
    if (isWanted(next.value)) return next.value
  }
}
