export type {} from '../ambient.js'
export { HoldfastQuorum, type HoldfastQuorumOptions, type QuorumMaster } from './holdfast-quorum.js'
export type { QuorumClientOptions } from './options.js'
