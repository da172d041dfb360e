import { getEventListeners } from 'node:events'
import { onAbort } from './timeouts.js'

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

describe('a callback for the abort of a signal', () => {
  it('shares one listener with all others, which goes with the last of them', () => {
    const { signal } = new AbortController()
    const stops = Array.from({ length: 100 }, () => onAbort(signal, () => undefined))
    expect(listeners(signal)).toBe(1)
    const last = stops.pop()
    for (const stop of stops) stop()
    expect(listeners(signal)).toBe(1)
    last?.()
    expect(listeners(signal)).toBe(0)
  })

  it('is called once, in turn with the others, and not after it was stopped', () => {
    const controller = new AbortController()
    const called: string[] = []
    onAbort(controller.signal, () => called.push('first'))
    const stop = onAbort(controller.signal, () => called.push('stopped'))
    onAbort(controller.signal, () => called.push('last'))
    stop()
    controller.abort()
    controller.abort()
    expect(called).toEqual(['first', 'last'])
  })

  it('is not called when one before it stops it', () => {
    const controller = new AbortController()
    const called: string[] = []
    onAbort(controller.signal, () => {
      called.push('first')
      stop()
    })
    const stop = onAbort(controller.signal, () => called.push('second'))
    controller.abort()
    expect(called).toEqual(['first'])
  })

  it('may be stopped again and after the abort, which changes nothing for those who came later', () => {
    const { signal } = new AbortController()
    const stop = onAbort(signal, () => undefined)
    stop()
    onAbort(signal, () => undefined)
    stop()
    onAbort(signal, () => undefined)
    expect(listeners(signal)).toBe(1)
  })
})
