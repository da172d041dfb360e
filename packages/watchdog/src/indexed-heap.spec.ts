import { HeapNode, IndexedHeap } from './watchdog.js'

/** Numbers that look random and are the same in every run. */
function sequence(seed: number): () => number {
  let state = seed
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648)
}

function drain(heap: IndexedHeap<string>): number[] {
  const keys: number[] = []
  for (let top = heap.peek(); top !== undefined; top = heap.peek()) {
    keys.push(top.at)
    heap.remove(top)
  }
  return keys
}

describe('an indexed heap', () => {
  it('has nothing at the top while it is empty', () => {
    const heap = new IndexedHeap<string>()
    expect(heap.peek()).toBeUndefined()
    expect(heap.size).toBe(0)
  })

  it('hands nodes out by key after any mixture of adding, moving and removing', () => {
    const next = sequence(7)
    const heap = new IndexedHeap<string>()
    const nodes = Array.from({ length: 200 }, (_, index) => new HeapNode(String(index)))
    const model = new Map<HeapNode<string>, number>()
    for (let step = 0; step < 5_000; step += 1) {
      const node = nodes[(next() >> 8) % nodes.length]
      if (node === undefined) throw new Error('no node')
      if ((next() >> 8) % 3 === 0) {
        heap.remove(node)
        model.delete(node)
      } else {
        const at = (next() >> 8) % 1_000
        heap.set(node, at)
        model.set(node, at)
      }
      expect(heap.size).toBe(model.size)
      expect(heap.peek()?.at ?? Infinity).toBe(Math.min(...model.values()))
    }
    expect(drain(heap)).toEqual([...model.values()].sort((one, other) => one - other))
  })

  it('keeps nothing of a removed node and takes it back later', () => {
    const heap = new IndexedHeap<string>()
    const node = new HeapNode('back again')
    heap.set(node, 1)
    heap.remove(node)
    heap.remove(node)
    expect(heap.size).toBe(0)
    heap.set(node, 2)
    expect(heap.peek()).toBe(node)
  })
})
