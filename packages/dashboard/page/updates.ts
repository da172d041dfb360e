import type { Update } from '../src/shared/payloads.js'

/**
 * The updates of a stream of server-sent events. An `EventSource` would read them, too, but sends no headers, and so could not say the
 * token.
 */
export async function* updatesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Update, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      const events = text.split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) {
        if (event.startsWith('data: ')) yield JSON.parse(event.slice('data: '.length)) as Update
      }
    }
  } finally {
    // Whoever stops reading leaves the stream.
    reader.cancel().catch(() => undefined)
  }
}
