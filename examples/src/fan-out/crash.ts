/** When a shard's process dies. */
export type Crash = 'none' | 'before counting' | 'after counting'
