/** How Redisson's clients here are notified: they listen to either kind of channel, never to both. */
export class Publishing {
  /** Plain channels, until it is known that they use sharded ones. */
  command: 'PUBLISH' | 'SPUBLISH' = 'PUBLISH'
}
