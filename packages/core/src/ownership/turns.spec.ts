import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Turns } from './turns.js'
import type { Body } from './turns.js'

function join(turns: Turns, isShared = false): Body {
  const body = turns.join(isShared, undefined)
  assert(body)
  return body
}

const isAround = (outer: Body, inner: Body): boolean => {
  for (let body: Body | undefined = inner; body; body = body.parent) if (body === outer) return true
  return false
}

const mayOverlap = (a: Body, b: Body): boolean =>
  (a.isShared && b.isShared) || isAround(a, b) || isAround(b, a)

it('siblings take turns, first come, first served, and a child runs inside the turn of its parent', () => {
  const turns = new Turns()
  const [first, second, third] = [join(turns), join(turns), join(turns)]
  const child = join(first.inside)
  expect([first, child, second, third].map(({ hasBegun }) => hasBegun)).toEqual([true, true, false, false])
  child.end()
  first.end()
  expect([second.hasBegun, third.hasBegun]).toEqual([true, false])
})

it('a body that outlives its parent keeps out the siblings of that, and is what they wait for', () => {
  const turns = new Turns()
  const parent = join(turns)
  const child = join(parent.inside)
  const sibling = join(turns)
  expect(parent.runningInside).toBe(child)
  parent.end()
  expect(sibling.hasBegun).toBe(false)
  expect(sibling.blocker).toBe(child)
  child.end()
  expect(sibling.hasBegun).toBe(true)
})

it('one that gives up lets those behind it through, and those that wait inside an ended one still exclude others', () => {
  const turns = new Turns()
  const parent = join(turns)
  const [running, waiting] = [join(parent.inside), join(parent.inside)]
  const [impatient, next] = [join(turns), join(turns)]
  parent.end()
  impatient.end()
  running.end()
  expect([waiting.hasBegun, next.hasBegun]).toEqual([true, false])
  waiting.end()
  expect(next.hasBegun).toBe(true)
})

it('readers share, and one that writes inside a reader waits for the readers beside it', () => {
  const turns = new Turns()
  const writer = join(turns)
  const [reader, other] = [join(writer.inside, true), join(writer.inside, true)]
  const upgraded = join(reader.inside)
  const late = join(writer.inside, true)
  expect([reader, other, upgraded, late].map(({ hasBegun }) => hasBegun)).toEqual([true, true, false, false])
  expect(upgraded.blocker).toBe(other)
  expect(other.inside.join(false, undefined)).toBeUndefined()
  other.end()
  expect([upgraded.hasBegun, late.hasBegun]).toEqual([true, false])
  upgraded.end()
  expect(late.hasBegun).toBe(true)
})

it('when the hold is over, nobody is kept waiting', () => {
  const turns = new Turns()
  const parent = join(turns)
  join(parent.inside)
  const waiting = [join(parent.inside), join(turns)]
  turns.letAllIn()
  expect(waiting.map(({ hasBegun }) => hasBegun)).toEqual([true, true])
})

it('whatever bodies join, end and give up: no two overlap that must not, and all get their turn', () => {
  const step = fc.record({ pick: fc.nat(), isShared: fc.boolean(), ends: fc.boolean(), atRoot: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const turns = new Turns()
      const live: Body[] = []
      const check = (): void => {
        const running = live.filter(({ hasBegun }) => hasBegun)
        for (const a of running) for (const b of running) expect(mayOverlap(a, b)).toBe(true)
      }
      for (const { pick, isShared, ends, atRoot } of steps) {
        const running = live.filter(({ hasBegun }) => hasBegun)
        if (ends && live.length > 0) {
          live.splice(pick % live.length, 1)[0]?.end()
        } else {
          const parent = atRoot ? undefined : running[pick % Math.max(1, running.length)]
          const body = (parent?.inside ?? turns).join(isShared, undefined)
          if (body) live.push(body)
        }
        check()
      }
      while (live.length > 0) {
        const next = live.findIndex(({ hasBegun }) => hasBegun)
        expect(next).not.toBe(-1)
        live.splice(next, 1)[0]?.end()
        check()
      }
      expect(turns.isIdle).toBe(true)
    }),
  )
})
