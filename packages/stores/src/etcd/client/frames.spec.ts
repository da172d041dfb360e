import { NotEtcdError } from './failures.js'
import { frame, Frames } from './frames.js'

const texts = (messages: readonly Buffer[]): string[] => messages.map(String)

describe('frames of gRPC', () => {
  it.each([1, 3, 7, 100])('are found in chunks of %i bytes', (size) => {
    const bytes = Buffer.concat(['first', '', 'a third one'].map((text) => frame(Buffer.from(text))))
    const frames = new Frames()
    const found: string[] = []
    for (let at = 0; at < bytes.length; at += size)
      found.push(...texts(frames.push(bytes.subarray(at, at + size))))
    expect(found).toEqual(['first', '', 'a third one'])
  })

  it('are refused when they are compressed', () => {
    expect(() => new Frames().push(Buffer.from([1, 0, 0, 0, 0]))).toThrow(NotEtcdError)
  })
})
