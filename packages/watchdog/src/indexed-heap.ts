/** A value's node in one {@link IndexedHeap}; a value in two heaps has two. */
export class HeapNode<V> {
  /** The key: the smallest is at the top. Changed by {@link IndexedHeap.set} only. */
  at = 0
  /** Position in the heap's array, -1 while outside. Changed by the heap only. */
  index = -1

  constructor(readonly value: V) {}
}

/**
 * A binary min-heap whose nodes know their position, so that any of them is moved or removed in O(log n) and
 * nothing deleted stays behind.
 */
export class IndexedHeap<V> {
  private readonly nodes: HeapNode<V>[] = []

  get size(): number {
    return this.nodes.length
  }

  /** The node with the smallest key. */
  peek(): HeapNode<V> | undefined {
    return this.nodes[0]
  }

  /** Puts the node in under this key, or moves it if it is in already. */
  set(node: HeapNode<V>, at: number): void {
    node.at = at
    if (node.index === -1) {
      node.index = this.nodes.length
      this.nodes.push(node)
    }
    this.settle(node)
  }

  /** Takes the node out; does nothing if it is not in. */
  remove(node: HeapNode<V>): void {
    if (node.index === -1) return
    const last = this.nodes.pop()
    if (last !== undefined && last !== node) {
      this.put(last, node.index)
      this.settle(last)
    }
    node.index = -1
  }

  /** Moves a node whose surroundings may be out of order to where it belongs. */
  private settle(node: HeapNode<V>): void {
    const from = node.index
    this.siftUp(node)
    if (node.index === from) this.siftDown(node)
  }

  private siftUp(node: HeapNode<V>): void {
    let index = node.index
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = this.nodes[parentIndex]
      if (parent === undefined || parent.at <= node.at) break
      this.put(parent, index)
      index = parentIndex
    }
    this.put(node, index)
  }

  private siftDown(node: HeapNode<V>): void {
    let index = node.index
    for (;;) {
      const left = this.nodes[2 * index + 1]
      const right = this.nodes[2 * index + 2]
      const smaller = left !== undefined && right !== undefined && right.at < left.at ? right : left
      if (smaller === undefined || smaller.at >= node.at) break
      const freed = smaller.index
      this.put(smaller, index)
      index = freed
    }
    this.put(node, index)
  }

  private put(node: HeapNode<V>, index: number): void {
    this.nodes[index] = node
    node.index = index
  }
}
